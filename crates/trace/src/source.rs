//! The records that a trace was read from. Runs of a search begin alike: when a trace's memory is used for the next one,
//! what equal records say is there already and is not read again.

use crate::{Pending, Rec, ThreadId, Trace};

/// What a trace was read from; nothing, if it was made in another way.
///
/// Invariant: while the trace's lists are as long as was noted when it was read, they say what the records say. Who changes
/// a trace and gives it back as memory changes the length of some list, or leaves them alone.
#[derive(Clone, Debug, Default)]
pub struct Source {
    records: Vec<Rec>,
    /// One for each step.
    marks: Vec<Mark>,
    lengths: Lengths,
    /// What each thread last said it is about to do; taken when it runs.
    pending: Vec<Option<Pending>>,
    /// What that was before it changed, each time.
    before: Vec<(ThreadId, Option<Pending>)>,
    /// Reads of waiting loops among the records.
    waiting_reads: u32,
}

impl Source {
    /// What a thread is about to do.
    pub(crate) fn pending(&self, thread: ThreadId) -> Option<&Pending> {
        self.pending.get(thread.index())?.as_ref()
    }
    /// What all are that have not run since they said it.
    pub(crate) fn all_pending(&self) -> impl Iterator<Item = Pending> {
        self.pending.iter().flatten().copied()
    }
    /// A thread says what it is about to do, or runs.
    #[inline]
    pub(crate) fn set_pending(&mut self, thread: ThreadId, pending: Option<Pending>) -> Option<Pending> {
        if self.pending.len() <= thread.index() {
            self.pending.resize(thread.index() + 1, None);
        }
        let before = std::mem::replace(&mut self.pending[thread.index()], pending);
        self.before.push((thread, before));
        before
    }
    /// A waiting loop has read something.
    pub(crate) fn count_waiting_read(&mut self) {
        self.waiting_reads += 1;
    }
    /// May somebody wait in a loop?
    pub(crate) fn has_waiting_reads(&self) -> bool {
        self.waiting_reads > 0
    }

    /// What is known of threads after the records before a mark, or after none.
    fn go_back(&mut self, mark: Option<Mark>) {
        let (changes, waiting_reads) = mark.map_or((0, 0), |mark| (mark.changes as usize, mark.waiting_reads));
        for (thread, pending) in self.before.drain(changes..).rev() {
            self.pending[thread.index()] = pending;
        }
        self.waiting_reads = waiting_reads;
    }
}

/// Where it was read from is no part of what a trace says.
impl PartialEq for Source {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}
impl Eq for Source {}

/// The record that begins a step, and what of the trace came before it.
#[derive(Clone, Copy, Debug)]
struct Mark {
    record: u32,
    changes: u32,
    waiting_reads: u32,
    before: Lengths,
}

/// How long a trace's lists are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Lengths {
    threads: u32,
    decisions: u32,
    steps: u32,
    events: u32,
    waits: u32,
    reads: u32,
    frames: u32,
    access_stacks: u32,
    left: u32,
    ended: u32,
    standing: u32,
    on_stacks: u32,
    names: u32,
    blocked: u32,
    assumed: u32,
    witnesses: u32,
    held: u32,
    sealed: u32,
    shared_stacks: u32,
    contended: u32,
}

impl Lengths {
    fn of(trace: &Trace) -> Self {
        Lengths {
            threads: trace.threads.len() as u32,
            decisions: trace.decisions.len() as u32,
            steps: trace.steps.len() as u32,
            events: trace.events.len() as u32,
            waits: trace.waits.len() as u32,
            reads: trace.reads.len() as u32,
            frames: trace.frames.len() as u32,
            access_stacks: trace.access_stacks.len() as u32,
            left: trace.left.len() as u32,
            ended: trace.ended.len() as u32,
            standing: trace.standing.len() as u32,
            on_stacks: trace.on_stacks.len() as u32,
            names: trace.names.len() as u32,
            blocked: trace.blocked.len() as u32,
            assumed: trace.assumed.len() as u32,
            witnesses: trace.witnesses.len() as u32,
            held: trace.held.len() as u32,
            sealed: trace.sealed.len() as u32,
            shared_stacks: trace.shared_stacks.len() as u32,
            contended: trace.contended.len() as u32,
        }
    }

    fn cut(self, trace: &mut Trace) {
        trace.threads.truncate(self.threads as usize);
        trace.decisions.truncate(self.decisions as usize);
        trace.steps.truncate(self.steps as usize);
        trace.events.truncate(self.events as usize);
        trace.waits.truncate(self.waits as usize);
        trace.reads.truncate(self.reads as usize);
        trace.frames.truncate(self.frames as usize);
        trace.access_stacks.truncate(self.access_stacks as usize);
        trace.left.truncate(self.left as usize);
        trace.ended.truncate(self.ended as usize);
        trace.standing.truncate(self.standing as usize);
        trace.on_stacks.truncate(self.on_stacks as usize);
        trace.names.truncate(self.names as usize);
        trace.blocked.truncate(self.blocked as usize);
        trace.assumed.truncate(self.assumed as usize);
        trace.witnesses.truncate(self.witnesses as usize);
        trace.held.truncate(self.held as usize);
        trace.sealed.truncate(self.sealed as usize);
        trace.shared_stacks.truncate(self.shared_stacks as usize);
        trace.contended.truncate(self.contended as usize);
    }
}

/// With how many equal records both begin. Most blocks are equal, so each is compared at once.
fn alike(new: &[Rec], old: &[Rec]) -> usize {
    const BLOCK: usize = 8;
    let same = |(new, old): &(&[Rec; BLOCK], &[Rec; BLOCK])| new == old;
    let from = BLOCK * new.as_chunks::<BLOCK>().0.iter().zip(old.as_chunks::<BLOCK>().0).take_while(same).count();
    from + new[from..].iter().zip(&old[from..]).take_while(|(new, old)| new == old).count()
}

/// Cuts an old trace back to whole steps that the new records begin with as well. Gives the number of records that need
/// not be read again.
pub(crate) fn keep(trace: &mut Trace, records: &[Rec]) -> usize {
    let source = &trace.source;
    let whole = source.lengths == Lengths::of(trace);
    let alike = if whole { alike(records, &source.records) } else { 0 };
    let steps = source.marks.partition_point(|mark| (mark.record as usize) < alike).saturating_sub(1);
    let mark = source.marks.get(steps).filter(|mark| (mark.record as usize) < alike).copied();
    let (known, before) = mark.map_or((0, Lengths::default()), |mark| (mark.record as usize, mark.before));
    before.cut(trace);
    trace.source.go_back(mark);
    trace.source.marks.truncate(steps);
    trace.pending.clear();
    trace.waiting.clear();
    known
}

/// A step begins with this record.
pub(crate) fn mark(trace: &mut Trace, record: usize) {
    let before = Lengths::of(trace);
    let source = &mut trace.source;
    let (changes, waiting_reads) = (source.before.len() as u32, source.waiting_reads);
    source.marks.push(Mark { record: record as u32, changes, waiting_reads, before });
}

/// All is read: the records stay with the trace.
pub(crate) fn settle(trace: &mut Trace, records: &mut Vec<Rec>) {
    trace.source.lengths = Lengths::of(trace);
    std::mem::swap(&mut trace.source.records, records);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shared::TraceHead;
    use crate::{ChoiceKind, DecodeError, Ending, OpKind, Point, Tag, ThreadId, decode};
    use proptest::prelude::*;

    /// A record of some kind, of one of three threads.
    fn record() -> impl Strategy<Value = Rec> {
        (0u8..15, 0u16..3, 0u32..2, 0u64..2).prop_map(|(kind, thread, n, a)| {
            let thread = ThreadId(thread);
            match kind {
                0 | 1 => Rec::new(Tag::Step, Point::Lock as u8, thread, n, 7, 1),
                2 => Rec::new(Tag::Pending, OpKind::MutexLock as u8, thread, n, a, 0),
                3 => Rec::new(Tag::WaitingRead, 1, thread, 4, a, 0),
                4 => Rec::new(Tag::Op, OpKind::MutexLock as u8, thread, n, a, 0),
                5 => Rec::new(Tag::Access, 1, thread, 4, a, 0),
                6 => Rec::choice(ChoiceKind::Thread, thread, n, OpKind::Run, 2, a as u32, 3),
                7 => Rec::new(Tag::MoreEnabled, 0, thread, 0, a, 0),
                8 => Rec::new(Tag::Value, n as u8 + a as u8, thread, 4, a, a),
                9 => Rec::new(Tag::Name, 0, thread, 0, 0x61 + a, 0),
                10 => Rec::new(Tag::Sealed, Point::Lock as u8, thread, 0, 0, a),
                11 => Rec::new(Tag::Standing, 0, thread, 0, 8 + a, a),
                12 => Rec::new(Tag::StackWord, 0, thread, 0, 16, a),
                13 => Rec::new(Tag::OnStack, 1, thread, n, 8 + a, 0),
                _ => Rec::new(Tag::Contended, 0, thread, 0, 8, 16 + a),
            }
        })
    }

    fn read(records: &[Rec], memory: Option<Trace>) -> Result<Trace, DecodeError> {
        let choices = records.iter().filter(|r| r.tag() == Some(Tag::Choice)).count() as u32;
        let head = TraceHead { threads: 3, choices, ending: Ending::Passed as u8, ..TraceHead::default() };
        decode(&head, b"", &mut records.to_vec(), memory)
    }

    /// A step may be read again alone: what its records say is of its own events.
    #[test]
    fn no_record_changes_an_event_of_an_earlier_step() {
        let first = ThreadId(0);
        let table = (0..3).map(|t| Rec::new(Tag::Thread, 0, ThreadId(t), 0, 0, 0));
        let step = Rec::new(Tag::Step, 0, first, 0, 1, 1);
        let (access, value) = (Rec::new(Tag::Access, 1, first, 4, 0, 0), Rec::new(Tag::Value, 0, first, 0, 1, 0));
        let frame = Rec::new(Tag::Frame, 1, first, 0, 1, 0);
        let standing = Rec::new(Tag::Standing, 0, first, 0, 8, 0);
        let word = Rec::new(Tag::StackWord, 0, first, 0, 16, 1);
        let all = |rest: &[Rec]| table.clone().chain([step, access]).chain(rest.iter().copied()).collect::<Vec<_>>();
        assert!(read(&all(&[value]), None).is_ok());
        assert!(read(&all(&[frame]), None).is_ok());
        assert!(read(&all(&[standing, word, word]), None).is_ok());
        assert_eq!(read(&all(&[step, value]), None), Err(DecodeError::Record(6)));
        assert_eq!(read(&all(&[step, frame]), None), Err(DecodeError::Record(6)));
        assert_eq!(read(&all(&[standing, step, word]), None), Err(DecodeError::Record(7)));
    }

    proptest! {
        #[test]
        fn what_is_known_need_not_be_read_again(
            first in prop::collection::vec(record(), 0..30),
            second in prop::collection::vec(record(), 0..30),
            shared in 0usize..30,
        ) {
            let table = (0..3).map(|t| Rec::new(Tag::Thread, 0, ThreadId(t), 0, 0, 0));
            let begin = table.chain([Rec::new(Tag::Step, 0, ThreadId(0), 0, 1, 1)]);
            let first: Vec<Rec> = begin.chain(first).collect();
            let second: Vec<Rec> = first.iter().take(shared + 4).copied().chain(second).collect();
            if let Ok(memory) = read(&first, None) {
                prop_assert_eq!(read(&second, Some(memory)), read(&second, None));
            }
        }
    }
}
