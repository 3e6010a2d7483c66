//! Traces out of shared memory. The program under test may have overwritten it: nothing is believed unchecked.

use crate::shared::{MAX_THREADS, TraceHead};
use crate::source;
use crate::values::bits;
use crate::{
    Access, Address, AssumedWait, Blocked, Choice, ChoiceKind, Contended, Coverage, Decision, Ending, Event, FINAL,
    OnStack, Outcome, Pending, PlanId, PointSet, Rec, Role, SPINS, Span, Standing, Step, Tag, ThreadId, ThreadInfo,
    Trace, Values, Waiting, Witness,
};

/// The memory does not hold a trace.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// A field has no meaning.
    #[error("the {0} of the trace makes no sense")]
    Nonsense(&'static str),
    /// The record at this index has no meaning.
    #[error("record {0} of the trace makes no sense")]
    Record(usize),
}

/// Reads a trace. `records` and `text` are those the head counts; all must be copies, not the shared memory itself.
/// `memory` is a trace whose memory is used again, and as much of what it says as was read from equal records. The
/// records stay with the trace; `records` holds memory for others afterwards.
pub fn decode(
    head: &TraceHead,
    text: &[u8],
    records: &mut Vec<Rec>,
    memory: Option<Trace>,
) -> Result<Trace, DecodeError> {
    use DecodeError::Nonsense;
    let ending = Ending::from_number(head.ending).filter(|e| *e != Ending::Running).ok_or(Nonsense("ending"))?;
    if usize::from(head.threads) > MAX_THREADS {
        return Err(Nonsense("head"));
    }
    let outcome = Outcome {
        ending,
        code: head.code,
        thread: ThreadId(head.thread),
        pc: head.pc,
        address: head.address,
        message: String::from_utf8_lossy(text).into_owned(),
    };
    let mut trace = match memory {
        Some(memory) => Trace { id: PlanId(head.id), outcome, ..memory },
        None => Trace::new(PlanId(head.id), outcome),
    };
    let threads = trace.threads.len();
    let known = source::keep(&mut trace, records);
    let checked = trace.decisions.len();
    trace.coverage = Coverage(head.coverage);
    trace.passed = PointSet(head.passed);
    (trace.length, trace.cost, trace.hash) = (head.steps, head.cost, head.hash);
    let mut reader = Reader { trace: &mut trace, waiting: Vec::new(), in_stack: false };
    if reader.trace.source.has_waiting_reads() {
        records[..known].iter().for_each(|rec| reader.recall(rec));
    }
    for (i, rec) in records.iter().enumerate().skip(known) {
        reader.take(i, rec).ok_or(DecodeError::Record(i))?;
    }
    trace.waiting = reader.waiting;
    trace.pending.extend(trace.source.all_pending());
    source::settle(&mut trace, records);
    if trace.threads.len() != usize::from(head.threads) {
        return Err(Nonsense("thread table"));
    }
    if trace.decisions.len() != head.choices as usize {
        return Err(Nonsense("number of choices"));
    }
    let checked = if trace.threads.len() < threads { 0 } else { checked };
    if !trace.decisions[checked..].iter().all(|d| makes_sense(d, trace.threads.len())) {
        return Err(Nonsense("choices"));
    }
    Ok(trace)
}

/// Is the value taken one of those there were, are there as many as was said, and are threads threads?
fn makes_sense(decision: &Decision, threads: usize) -> bool {
    let about_threads = matches!(decision.choice.kind, ChoiceKind::Thread | ChoiceKind::Waiter);
    decision.values.len() == usize::from(decision.choice.alternatives)
        && decision.values.contains(decision.choice.value)
        && (!about_threads || decision.values.iter().all(|v| (v as usize) < threads))
}

struct Reader<'a> {
    trace: &'a mut Trace,
    /// Those that wait in a loop; taken when they run.
    waiting: Vec<Waiting>,
    /// The words of a stack are being told.
    in_stack: bool,
}

impl Reader<'_> {
    /// Takes in who waits in a loop, of a record that the trace knows.
    fn recall(&mut self, rec: &Rec) {
        match rec.tag() {
            Some(Tag::WaitingRead) => self.waits_for(rec.thread(), rec.as_access()),
            Some(Tag::Step | Tag::Pending) => _ = self.waited(rec.thread()),
            _ => {}
        }
    }

    /// What the thread read in the loop in which it waited, if it did.
    fn waited(&mut self, thread: ThreadId) -> Option<Waiting> {
        self.waiting.iter().position(|w| w.thread == thread).map(|at| self.waiting.swap_remove(at))
    }

    fn waits_for(&mut self, thread: ThreadId, read: Access) {
        match self.waiting.iter_mut().find(|w| w.thread == thread) {
            Some(waiting) => waiting.reads.push(read),
            None => self.waiting.push(Waiting { thread, reads: vec![read] }),
        }
    }

    /// Takes in the record at this index.
    fn take(&mut self, index: usize, rec: &Rec) -> Option<()> {
        let thread = rec.thread();
        if thread.index() >= MAX_THREADS {
            return None;
        }
        let in_stack = std::mem::take(&mut self.in_stack);
        match rec.tag()? {
            Tag::Thread => {
                let parent = ThreadId(u16::try_from(rec.a).ok()?);
                let threads = &mut self.trace.threads;
                (thread.index() == threads.len() && parent.index() <= threads.len()).then_some(())?;
                threads.push(ThreadInfo { parent, nth: rec.n(), start: rec.b });
            }
            Tag::Choice => self.choice(rec)?,
            Tag::MoreAlternatives => {
                let last = self.trace.decisions.last_mut()?;
                more(rec, |t| last.values.push(u32::from(t.0)));
            }
            Tag::Step => {
                source::mark(self.trace, index);
                self.step(rec)?;
            }
            Tag::MoreEnabled => {
                let last = self.trace.steps.last_mut()?;
                more(rec, |t| last.enabled.push(u32::from(t.0)));
            }
            Tag::Pending => {
                self.waited(thread); // somebody else has ended that wait
                self.trace.source.set_pending(thread, Some(pending(rec)?));
                if self.trace.steps.last().is_some_and(|step| step.thread != thread) {
                    self.event(Event::Wake { thread })?;
                }
            }
            Tag::Op => {
                let event = Event::Op { op: rec.as_op()?, object: Address(rec.a), result: rec.n(), pc: rec.b };
                self.event(event)?;
            }
            Tag::Access => self.event(Event::Access { access: rec.as_access(), value: None })?,
            Tag::Value => self.value(rec)?,
            Tag::Alloc => {
                let event = Event::Alloc { address: rec.a, size: rec.n(), pc: rec.b, thread };
                self.event(event)?;
            }
            Tag::Frame if rec.flags() == 0 => {
                self.trace.steps.last_mut()?.stack.push(&mut self.trace.frames, rec.a);
            }
            Tag::Frame => self.frame_of_access(rec)?,
            Tag::Blocked => {
                let spins = rec.b == SPINS;
                let holder = if spins { 0 } else { u16::try_from(rec.b).ok()? }.checked_sub(1).map(ThreadId);
                let pending = Pending { thread, op: rec.as_op()?, object: Address(rec.a), pc: 0 };
                let pc = self.trace.source.pending(thread).map_or(0, |p| p.pc);
                let blocked = Blocked { pending: Pending { pc, ..pending }, holder, spins };
                match rec.n() {
                    FINAL => self.trace.blocked.push(blocked),
                    _ => self.trace.steps.last_mut()?.blocked.push(&mut self.trace.waits, blocked),
                }
            }
            Tag::WaitingRead => {
                self.trace.source.count_waiting_read();
                self.waits_for(thread, rec.as_access());
            }
            Tag::AssumedWait if rec.n() == 0 => {
                self.trace.assumed.push(AssumedWait { rounds: rec.a, sites: vec![rec.b] });
            }
            Tag::AssumedWait => self.trace.assumed.last_mut()?.sites.push(rec.b),
            Tag::Witness => self.trace.witnesses.push(Witness {
                role: Role::from_number(rec.flags())?,
                thread,
                pc: rec.b,
                address: rec.a,
                size: rec.n(),
                stack: Vec::new(),
            }),
            Tag::WitnessFrame => self.trace.witnesses.last_mut()?.stack.push(rec.a),
            Tag::Sealed => self.trace.sealed.push((rec.b, rec.as_point()?)),
            Tag::HeldAtEnd => self.trace.held.push((thread, rec.a, rec.b)),
            Tag::Name => {
                let bytes = rec.a.to_le_bytes().into_iter().chain(rec.b.to_le_bytes());
                let bytes: Vec<u8> = bytes.take_while(|byte| *byte != 0).collect();
                self.trace.names.push((thread, String::from_utf8_lossy(&bytes).into_owned()));
            }
            Tag::Standing => {
                self.trace.standing.push(Standing { thread, stack: rec.a, frame: rec.b, words: Vec::new() });
                self.in_stack = true;
            }
            Tag::StackWord => {
                in_stack.then_some(())?;
                self.trace.standing.last_mut()?.words.push((rec.a, rec.b));
                self.in_stack = true;
            }
            Tag::OnStack => {
                let last = self.trace.standing.iter().rposition(|standing| standing.thread == thread);
                let standing = if rec.n() == 0 { None } else { Some(u32::try_from(last?).ok()?) };
                let events = u32::try_from(self.trace.events.len()).ok()?;
                let event = if rec.flags() == 0 { events.checked_sub(1)? } else { events };
                self.trace.on_stacks.push(OnStack { event, address: rec.a, standing });
            }
            Tag::SharedStack => self.trace.shared_stacks.push(thread),
            Tag::Contended => {
                (rec.a < rec.b).then_some(())?;
                self.trace.contended.push(Contended { from: rec.a, to: rec.b });
            }
            Tag::None
            | Tag::RacePoint
            | Tag::Seal
            | Tag::Sleeper
            | Tag::SleeperValue
            | Tag::ChangePoint
            | Tag::Trusted
            | Tag::Ignored => return None,
        }
        Some(())
    }

    /// The event that came last, in the step that is being read.
    fn last_event(&self) -> Option<u32> {
        let of_step = self.trace.steps.last()?.events.range();
        of_step.last().and_then(|event| u32::try_from(event).ok())
    }

    /// What the access that came last met or left.
    fn value(&mut self, rec: &Rec) -> Option<()> {
        if rec.flags() == 2 {
            let here = |event: &Event| match event {
                Event::Access { access, .. } => (access.address.0, access.size) == (rec.b, rec.n()),
                _ => false,
            };
            let of_step = self.trace.steps.last()?.events.range();
            let event = of_step.rev().find(|event| here(&self.trace.events[*event]))?;
            self.trace.ended.push((u32::try_from(event).ok()?, rec.a));
            return Some(());
        }
        let index = self.last_event()?;
        match self.trace.events.last_mut()? {
            Event::Access { value, .. } if rec.flags() == 0 => *value = Some(rec.a),
            Event::Access { .. } => self.trace.left.push((index, rec.a)),
            _ => return None,
        }
        Some(())
    }

    /// A call site above the access or operation that came last.
    fn frame_of_access(&mut self, rec: &Rec) -> Option<()> {
        let event = self.last_event()?;
        let Trace { access_stacks, frames, .. } = &mut self.trace;
        if access_stacks.last().is_none_or(|(last, _)| *last != event) {
            access_stacks.push((event, Span::at(frames.len())));
        }
        access_stacks.last_mut()?.1.push(frames, rec.a);
        Some(())
    }

    fn choice(&mut self, rec: &Rec) -> Option<()> {
        let choice = Choice {
            kind: rec.choice_kind()?,
            thread: rec.thread(),
            step: rec.choice_step(),
            op: rec.choice_op()?,
            alternatives: rec.alternatives(),
            value: rec.choice_value(),
        };
        let values = Values::from_bits(rec.b);
        self.trace.decisions.push(Decision { choice, values, free: rec.is_free() });
        Some(())
    }

    fn event(&mut self, event: Event) -> Option<()> {
        self.trace.steps.last_mut()?.events.push(&mut self.trace.events, event);
        Some(())
    }

    fn step(&mut self, rec: &Rec) -> Option<()> {
        let thread = rec.thread();
        let pending = self.trace.source.set_pending(thread, None);
        let mut reads = Span::at(self.trace.reads.len());
        if let Some(waited) = self.waited(thread) {
            waited.reads.into_iter().for_each(|read| reads.push(&mut self.trace.reads, read));
        }
        self.trace.steps.push(Step {
            thread,
            number: rec.n(),
            point: rec.as_point()?,
            enabled: Values::from_bits(rec.a),
            alternatives: rec.b as u32,
            passed: (rec.b >> 32) as u32,
            pending,
            decisions: self.trace.decisions.len() as u32,
            blocked: Span::at(self.trace.waits.len()),
            waiting: reads,
            stack: Span::at(self.trace.frames.len()),
            events: Span::at(self.trace.events.len()),
        });
        Some(())
    }
}

fn pending(rec: &Rec) -> Option<Pending> {
    Some(Pending { thread: rec.thread(), op: rec.as_op()?, object: Address(rec.a), pc: rec.b })
}

/// Threads named by a continuation record.
fn more(rec: &Rec, mut each: impl FnMut(ThreadId)) {
    let base = 64 + 128 * (rec.n() % 8) as u16;
    bits(rec.a).for_each(|i| each(ThreadId(base + i)));
    bits(rec.b).for_each(|i| each(ThreadId(base + 64 + i)));
}
