//! Traces that are read while their runs are made (decision 0012).

use super::SharedMemory;
use gabion_trace::shared::TRACE_RECORDS;
use gabion_trace::{Beside, Decoding, Ending, Trace};

/// A run whose trace is read while it is made.
pub(super) struct Followed {
    pub(super) slot: usize,
    pub(super) decoding: Decoding,
}

/// So many more records are worth looking at in the middle of a run: who reads a line that another core writes delays both.
const WORTH: usize = 24;

impl SharedMemory {
    /// Reads what the target has recorded in a slot so far, if it has begun there: then less is to be read, and less copied from
    /// another core's memory, when the run has ended.
    pub fn follow_begun(&mut self, slot: usize, spare: &mut Vec<Trace>) {
        self.followed = None;
        if let Some(count) = self.recorded(slot) {
            self.records.clear();
            self.copy(slot, count);
            let decoding = Decoding::begin(spare.pop(), &self.records);
            self.followed = Some(Followed { slot, decoding });
            self.read_on();
        }
    }

    /// Reads on if it is worth it, and shows what there is.
    pub(super) fn follow(&mut self, beside: &mut dyn Beside) {
        let Some(slot) = self.followed.as_ref().map(|followed| followed.slot) else { return };
        if let Some(count) = self.recorded(slot).filter(|count| *count >= self.records.len() + WORTH) {
            self.copy(slot, count);
            self.read_on();
        }
        if let Some(followed) = &self.followed {
            beside.glimpse(followed.decoding.trace());
        }
    }

    fn read_on(&mut self) {
        // What makes no sense is looked at again at the end.
        self.followed.take_if(|followed| followed.decoding.read(&self.records).is_err());
    }

    /// How many records there are in a slot whose run is not over.
    fn recorded(&self, slot: usize) -> Option<usize> {
        // SAFETY: plain words of the control page, read in this order: while it says that it runs, the count is of that run.
        let (ending, count) = unsafe {
            let head = &raw const (*self.control()).slots[slot].trace;
            (std::ptr::read_volatile(&raw const (*head).ending), std::ptr::read_volatile(&raw const (*head).records))
        };
        (ending == Ending::Running as u8).then_some((count as usize).min(TRACE_RECORDS))
    }
}
