//! The steps of a run as a reduction sees them: who, which event, what it touched.

use gabion_trace::{Access, Address, Ending, Event, OpKind, Pending, Span, Step, Trace, Values};

/// A step.
#[derive(Clone, Debug)]
pub struct Item {
    /// Who.
    pub thread: u16,
    /// The thread's own number of the step.
    pub number: u32,
    /// How many steps of the thread came before it in this run.
    pub ordinal: u32,
    /// What the thread was about to do.
    pub op: OpKind,
    /// To what.
    pub object: Address,
    /// Who could have run.
    pub enabled: Values,
    /// Two steps whose signatures are apart do not conflict.
    pub signature: Signature,
    footprint: Span,
    wakes: Span,
    objects: Span,
}

/// A set of addresses, folded into 24 bits for those read or written and 24 for those written. The 16 below are left to [`Key`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Signature(u64);

const READS: u32 = 16;
const BITS: u32 = 24;
const WRITES: u32 = READS + BITS;

impl Signature {
    /// Everything.
    pub const ALL: Self = Signature(u64::MAX << READS);

    /// Of some accesses.
    pub fn of(accesses: &[Access]) -> Self {
        let mut all = 0;
        for access in accesses {
            let Some(last) = access.size.checked_sub(1) else { continue };
            let (from, to) = (access.address.0 >> 2, access.address.0.saturating_add(u64::from(last)) >> 2);
            let bits = if to - from > 8 { (1 << BITS) - 1 } else { (from..=to).fold(0, |bits, word| bits | bit(word)) };
            all |= bits << READS | if access.kind.writes() { bits << WRITES } else { 0 };
        }
        Signature(all)
    }

    /// Does nothing in the one conflict with anything in the other?
    #[inline]
    pub const fn apart(self, other: Self) -> bool {
        !Key(self.0).is_near(Key(other.0).counterpart())
    }
}

/// The bit of a word of four bytes.
#[inline]
const fn bit(word: u64) -> u64 {
    let spread = word.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
    1 << ((spread * BITS as u64) >> 32)
}

/// A signature, and in the bits below it one for the thread. Steps of which neither has a bit in common with the other's
/// counterpart are of different threads and do not conflict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key(u64);

impl Key {
    /// Meets everything.
    pub const ALL: Self = Key(u64::MAX);

    /// Of a thread's step.
    #[inline]
    pub const fn of(thread: u16, signature: Signature) -> Self {
        Key(signature.0 | 1 << (thread as u32 % READS))
    }

    /// What to look for in keys to find those that this one may meet: who reads what is written, who writes what is read.
    #[inline]
    pub const fn counterpart(self) -> Self {
        let threads = self.0 & ((1 << READS) - 1);
        Key(threads | self.0 >> WRITES << READS | self.0 >> READS << WRITES)
    }

    /// May a step meet the one with this counterpart?
    #[inline]
    pub const fn is_near(self, counterpart: Self) -> bool {
        self.0 & counterpart.0 != 0
    }
}

/// What decides most questions about a step, in few bytes.
#[derive(Clone, Copy, Debug)]
pub struct Glance {
    /// What may conflict with the step, or is its thread's, is near this. Of a step that ends the process that is all.
    pub key: Key,
    /// See [`Item::ordinal`].
    pub ordinal: u32,
    /// Who.
    pub thread: u16,
}

/// An operation on an object, as it came in a run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ObjectOp {
    pub(crate) step: u32,
    pub(crate) op: OpKind,
    pub(crate) object: Address,
    pub(crate) result: u32,
}

/// The steps of a run. Kept from run to run, so that a shared prefix is read once.
#[derive(Clone, Debug, Default)]
pub struct Steps {
    items: Vec<Item>,
    /// One for each of them.
    glances: Vec<Glance>,
    accesses: Vec<Access>,
    wakes: Vec<u16>,
    objects: Vec<ObjectOp>,
    of_thread: Vec<Vec<u32>>,
    /// What threads that had not ended were about to do.
    pub(crate) pending: Vec<Pending>,
    /// The last step ended the process while others could have run, so it depends on all others.
    pub(crate) ends_process: bool,
}

impl Steps {
    /// Reads a trace of which the first `keep` steps are those read before.
    pub(crate) fn read(&mut self, trace: &Trace, keep: usize) {
        self.truncate(keep);
        for step in &trace.steps[keep..] {
            self.push(trace, step);
        }
        self.pending.clear();
        self.pending.extend_from_slice(&trace.pending);
        self.ends_process = ends_process(trace);
        if let Some(last) = self.glances.last_mut().filter(|_| self.ends_process) {
            last.key = Key::ALL;
        }
    }

    /// Number of steps.
    #[inline]
    pub fn len(&self) -> usize {
        self.items.len()
    }
    /// No step?
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }
    /// A step.
    #[inline]
    pub fn item(&self, step: usize) -> &Item {
        &self.items[step]
    }
    /// The steps at a glance.
    #[inline]
    pub fn glances(&self) -> &[Glance] {
        &self.glances
    }
    /// What a step touched.
    #[inline]
    pub fn footprint(&self, step: usize) -> &[Access] {
        self.items[step].footprint.of(&self.accesses)
    }
    /// Whose next operation the step changed or made possible.
    #[inline]
    pub fn wakes(&self, step: usize) -> &[u16] {
        self.items[step].wakes.of(&self.wakes)
    }
    /// Did a step do that to the thread?
    pub(crate) fn wakes_of(&self, thread: u16) -> impl Fn(u32) -> bool {
        move |step| self.wakes(step as usize).contains(&thread)
    }
    pub(crate) fn objects(&self, step: usize) -> &[ObjectOp] {
        self.items[step].objects.of(&self.objects)
    }
    /// The steps of a thread.
    #[inline]
    pub fn of_thread(&self, thread: u16) -> &[u32] {
        self.of_thread.get(usize::from(thread)).map_or(&[], Vec::as_slice)
    }
    /// How many threads took steps or are numbered below one that did.
    pub fn threads(&self) -> usize {
        self.of_thread.len()
    }

    fn truncate(&mut self, keep: usize) {
        if let Some(first) = self.items.get(keep) {
            let (accesses, wakes, objects) =
                (first.footprint.range().start, first.wakes.range().start, first.objects.range().start);
            self.accesses.truncate(accesses);
            self.wakes.truncate(wakes);
            self.objects.truncate(objects);
            self.items.truncate(keep);
            self.glances.truncate(keep);
            self.of_thread.iter_mut().for_each(|steps| keep_below(steps, keep));
        }
    }

    fn push(&mut self, trace: &Trace, step: &Step) {
        let index = self.items.len() as u32;
        let mut footprint = Span::at(self.accesses.len());
        let mut wakes = Span::at(self.wakes.len());
        let mut objects = Span::at(self.objects.len());
        for event in trace.events(step) {
            if let Some(access) = event.as_access() {
                footprint.push(&mut self.accesses, access);
            }
            match *event {
                Event::Wake { thread } => wakes.push(&mut self.wakes, thread.0),
                Event::Op { op, object, result, .. } => {
                    objects.push(&mut self.objects, ObjectOp { step: index, op, object, result });
                }
                _ => {}
            }
        }
        for read in trace.waited(step) {
            footprint.push(&mut self.accesses, *read);
        }
        let thread = usize::from(step.thread.0);
        if self.of_thread.len() <= thread {
            self.of_thread.resize_with(thread + 1, Vec::new);
        }
        let ordinal = self.of_thread[thread].len() as u32;
        self.of_thread[thread].push(index);
        let (op, object) = step.pending.map_or((OpKind::Run, Address(0)), |p| (p.op, p.object));
        let signature = Signature::of(footprint.of(&self.accesses));
        self.glances.push(Glance { key: Key::of(step.thread.0, signature), ordinal, thread: step.thread.0 });
        self.items.push(Item {
            thread: step.thread.0,
            number: step.number,
            ordinal,
            op,
            object,
            enabled: step.enabled.clone(),
            signature,
            footprint,
            wakes,
            objects,
        });
    }
}

/// Drops the steps from `keep` on.
pub(crate) fn keep_below(steps: &mut Vec<u32>, keep: usize) {
    while steps.last().is_some_and(|step| *step as usize >= keep) {
        steps.pop();
    }
}

/// Did the last step end the run by itself? So every end of the program's own but a deadlock in which nobody could go on.
/// (Or that was found when the others had ended: its code says so.)
fn ends_process(trace: &Trace) -> bool {
    match trace.outcome.ending {
        Ending::Deadlock | Ending::Livelock => trace.outcome.ending == Ending::Deadlock && trace.outcome.code != 0,
        _ => trace.outcome.is_whole(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gabion_trace::AccessKind;
    use proptest::prelude::*;

    fn accesses() -> impl Strategy<Value = Vec<Access>> {
        let access = (0u64..400, 0u32..40, prop::bool::ANY).prop_map(|(at, size, writes)| {
            let kind = if writes { AccessKind::WRITE } else { AccessKind::READ };
            Access { address: Address::memory(at), size, kind, pc: 0 }
        });
        prop::collection::vec(access, 0..3)
    }

    proptest! {
        #[test]
        fn who_conflicts_is_near(a in accesses(), b in accesses(), s in 0u16..40, t in 0u16..40) {
            let (first, second) = (Signature::of(&a), Signature::of(&b));
            let near = Key::of(s, first).is_near(Key::of(t, second).counterpart());
            let conflict = a.iter().any(|a| b.iter().any(|b| a.conflicts(b)));
            prop_assert!(near || s != t && !conflict);
            prop_assert_eq!(near, Key::of(t, second).is_near(Key::of(s, first).counterpart()));
            prop_assert!(Key::ALL.is_near(Key::of(t, second).counterpart()) && Key::of(s, first).is_near(Key::ALL));
        }

        #[test]
        fn who_reads_the_same_is_not_near(s in 0u16..16, t in 0u16..16, at in 0u64..40) {
            let access = Access { address: Address::memory(at), size: 4, kind: AccessKind::READ, pc: 0 };
            let signature = Signature::of(&[access]);
            prop_assert_eq!(Key::of(s, signature).is_near(Key::of(t, signature).counterpart()), s == t);
        }
    }
}
