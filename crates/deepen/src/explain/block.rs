//! The block of the heap that a failure is about: who allocated and freed it, and who lost it.

use super::{Kind, Told, past, place};
use crate::atomicity::overwritten;
use crate::conflicts::left_behind;
use crate::naming::{Namer, access_verb};
use gabion_trace::{AccessKind, Address, Event, Role, Witness};

impl Told<'_> {
    /// Allocation, free, access, in this order.
    pub(super) fn freed(&self) -> Vec<String> {
        let mut parts: Vec<String> = self.witnesses.iter().map(|w| format!("{}{}", w.what, place(&w.stack))).collect();
        let deed = if self.kind == Kind::DoubleFree { "freed again" } else { "used" };
        let at = self.location.map_or(String::new(), |frame| place(std::slice::from_ref(frame)));
        parts.push(format!("{deed} by {}{at}", self.who(self.outcome.thread)));
        vec![format!("The memory was {}.", parts.join(", then "))]
    }

    /// Who allocated what nothing points to any more, and who overwrote the last that did.
    pub(super) fn leaked(&self, namer: &mut Namer<'_>) -> Vec<String> {
        let mut out: Vec<String> =
            self.witnesses.iter().map(|w| format!("The memory was {}{}.", w.what, place(&w.stack))).collect();
        let left = left_behind(self.trace);
        let lost = overwritten(self.trace, self.outcome.address, |event| left.get(&event).copied());
        out.extend(lost.map(|(kept, by)| {
            let deed = past(access_verb(by.access.kind));
            let deed = if deed == "freed" { deed } else { "overwrote" };
            let (name, at) = (namer.name(kept), self.at(namer, &by));
            format!("Its address was last kept in {name}, which {} {deed}{at}.", self.who(by.thread))
        }));
        out
    }

    /// The steps of the run in which the block was allocated and freed are spoken of, as far as the run has them.
    pub(super) fn speak_of_block(&self) {
        let told = |role: Role| self.trace.witnesses.iter().find(move |w| w.role == role);
        let freed = told(Role::Freed).and_then(|w| self.free_of(w));
        let allocated = told(Role::Allocated).and_then(|w| self.allocation_of(w, freed));
        freed.into_iter().chain(allocated).for_each(|event| _ = self.step_of(event));
    }

    /// The last free of a block by who is said to have freed it. One that fails for it comes after that.
    fn free_of(&self, freed: &Witness) -> Option<usize> {
        let frees = |event: &usize| match self.trace.events[*event] {
            Event::Access { access, .. } => {
                access.kind.has(AccessKind::FREE) && access.address == Address::memory(freed.address)
            }
            _ => false,
        };
        let all = self.trace.steps.iter().flat_map(|step| step.events.range().map(|event| (step.thread, event)));
        let mut all: Vec<_> = all.filter(|(_, event)| frees(event)).collect();
        if matches!(self.kind, Kind::DoubleFree) {
            all.pop();
        }
        all.into_iter().rev().find(|(thread, _)| *thread == freed.thread).map(|(_, event)| event)
    }

    /// The last allocation of a block, before it was freed.
    fn allocation_of(&self, allocated: &Witness, freed: Option<usize>) -> Option<usize> {
        let until = freed.unwrap_or(self.trace.events.len());
        let is_it = |event: &Event| matches!(event, Event::Alloc { address, pc, .. } if (*address, *pc) == (allocated.address, allocated.pc));
        self.trace.events[..until].iter().rposition(is_it)
    }
}
