//! Who waits when a run ends, in words.

use crate::evidence::waiting_sites;
use crate::holders::{has_ended, holders, taken_before};
use crate::naming::{Namer, location, who};
use gabion_trace::{Address, Blocked, Event, Frame, NamedWait, OpKind, Pending, Role, Space, ThreadId, Trace, Waiting};

impl Namer<'_> {
    /// Who waits for what, who holds it, and where.
    pub(crate) fn waiting(&mut self, trace: &Trace, blocked: &Blocked, threads: &[String]) -> String {
        let Pending { thread, object, .. } = blocked.pending;
        let who = |id| who(id, threads);
        let mut held: Vec<(ThreadId, &str, Option<String>)> = Vec::new();
        // Whom a join waits for is said already.
        if !blocked.spins && object.space() != Some(Space::Thread) {
            for holder in holders(trace, object) {
                held.push((holder.thread, holder.how, self.at(holder.pc, holder.sites)));
            }
        }
        if let Some(holder) = blocked.holder.filter(|_| held.is_empty() && object.space() != Some(Space::Thread)) {
            let at = taken_before(trace, holder, object).and_then(|pc| self.at(pc, &[]));
            held.push((holder, "locked", at));
        }
        let held: String = held
            .into_iter()
            .map(|(holder, how, at)| match at {
                Some(at) if holder == thread => format!(", which it {how} itself at {at}"),
                None if holder == thread => ", which it holds itself".to_string(),
                Some(at) if has_ended(trace, holder) => {
                    format!("; {} {how} it at {at} and ended while it held it", who(holder))
                }
                None if has_ended(trace, holder) => format!("; {} ended while it held it", who(holder)),
                Some(at) => format!("; {} {how} it at {at}", who(holder)),
                None => format!("; {} holds it", who(holder)),
            })
            .collect();
        let called = self.called(trace, blocked);
        let at = called.map(|(_, user)| user).or_else(|| Frame::place(&self.waiting_stack(trace, blocked)).cloned());
        let at = at.as_ref().and_then(location);
        let at = at.map_or(String::new(), |at| format!(" at {at}"));
        format!("{} waits {}{at}{held}", who(thread), self.awaited(trace, blocked))
    }

    /// The same for the end of the thread's column.
    pub(crate) fn wait(&mut self, trace: &Trace, blocked: &Blocked) -> NamedWait {
        let Pending { thread, object, .. } = blocked.pending;
        let mut what = format!("waits {}", self.awaited(trace, blocked));
        if !blocked.spins && object.space() != Some(Space::Thread) {
            let mut held: Vec<ThreadId> = holders(trace, object).iter().map(|holder| holder.thread).collect();
            held.extend(blocked.holder.filter(|_| held.is_empty()));
            let ended = held.iter().all(|holder| has_ended(trace, *holder));
            let held: Vec<String> =
                held.into_iter().map(|id| if id == thread { "it".into() } else { id.to_string() }).collect();
            match held.as_slice() {
                [] => {}
                [alone] if alone == "it" => what.push_str(", which it holds itself"),
                [one] if ended => what.push_str(&format!(", which {one} held when it ended")),
                [one] => what.push_str(&format!(", which {one} holds")),
                several => what.push_str(&format!(", which {} hold", several.join(", "))),
            }
        }
        NamedWait { thread, what, stack: self.waiting_stack(trace, blocked) }
    }

    /// What a thread waits for: the end of a sentence.
    fn awaited(&mut self, trace: &Trace, blocked: &Blocked) -> String {
        let Pending { op, object, .. } = blocked.pending;
        let called = self.called(trace, blocked).map(|(function, _)| function);
        match (op, called) {
            (OpKind::Park | OpKind::ParkTimeout, Some(function)) => return format!("in {function}"),
            (OpKind::Park | OpKind::ParkTimeout, None) => return "to be unparked".to_string(),
            (OpKind::FutexQueued, Some(function)) => {
                let name = self.object(object);
                let named = self.is_named(object);
                return if named { format!("in {function} for a signal on {name}") } else { format!("in {function}") };
            }
            _ => {}
        }
        match op {
            _ if blocked.spins => "in a loop".to_string(),
            OpKind::CondQueued | OpKind::FutexQueued => format!("for a signal on {}", self.object(object)),
            OpKind::CondReacquire => format!("to lock {} again", self.object(object)),
            OpKind::BarrierWait => format!("for others at {}{}", self.object(object), arrived(trace, blocked)),
            _ => {
                let what = self.operation(op, object);
                what.strip_prefix("wait ").map_or_else(|| format!("to {what}"), str::to_string)
            }
        }
    }

    /// Does the program itself park there, not a library for reasons of its own?
    pub(crate) fn parks_itself(&mut self, trace: &Trace, blocked: &Blocked) -> bool {
        self.called(trace, blocked).is_none_or(|(function, _)| function.starts_with("std::thread::park"))
    }

    /// Has the program a name for it?
    fn is_named(&mut self, object: Address) -> bool {
        self.variable(object).is_some()
    }

    /// Of a thread that waits inside a library or a published crate: the function that the program's own code called there, and
    /// the frame of that code. What the library waits for by itself (a token, a word) says nothing to who wrote the program.
    fn called(&mut self, trace: &Trace, blocked: &Blocked) -> Option<(String, Frame)> {
        let waits = matches!(blocked.pending.op, OpKind::Park | OpKind::ParkTimeout | OpKind::FutexQueued);
        let sites = waiting_sites(trace, blocked.pending.thread);
        let stack = if waits && !blocked.spins { self.whole_stack(blocked.pending.pc, sites) } else { Vec::new() };
        let own = |frame: &Frame| frame.file.is_some() && !frame.is_library() && !frame.is_published();
        let user = stack.iter().position(own)?;
        let function = stack[..user].iter().rev().find_map(|frame| frame.function.as_deref())?;
        Some((without_brackets(function), stack[user].clone()))
    }

    /// Where a thread waits.
    pub(crate) fn waiting_stack(&mut self, trace: &Trace, blocked: &Blocked) -> Vec<Frame> {
        self.stack(blocked.pending.pc, waiting_sites(trace, blocked.pending.thread))
    }

    /// Who spins, and on what.
    pub(crate) fn spinning(&mut self, waiting: &Waiting, threads: &[String]) -> String {
        let mut names: Vec<String> = Vec::new();
        for read in &waiting.reads {
            let name = self.name_of(read, usize::MAX);
            if !names.contains(&name) {
                names.push(name);
            }
        }
        format!("{} spins on {}", who(waiting.thread, threads), names.join(", "))
    }
}

/// ` (2 of 3 have arrived)`, if the run tells.
fn arrived(trace: &Trace, blocked: &Blocked) -> String {
    let Pending { thread, object, .. } = blocked.pending;
    let count = |event: &Event| match event {
        Event::Op { op: OpKind::BarrierArrive, object: at, result, .. } if *at == object => Some(*result),
        _ => None,
    };
    let waits = trace.witnesses.iter().find(|w| w.role == Role::Waits && w.thread == thread);
    let needed = waits.map(|w| w.size).filter(|needed| *needed > 0);
    match (trace.events.iter().rev().find_map(count), needed) {
        (Some(1), Some(needed)) => format!(" (1 of {needed} has arrived)"),
        (Some(arrived), Some(needed)) if arrived < needed => format!(" ({arrived} of {needed} have arrived)"),
        _ => String::new(),
    }
}

/// A method's name as it is called: `a::B<C>::d` of `<a::B<C>>::d`.
fn without_brackets(function: &str) -> String {
    let inner = function.strip_prefix('<').and_then(|rest| rest.rsplit_once(">::"));
    match inner.filter(|(of, _)| !of.contains(" as ")) {
        Some((of, method)) => format!("{of}::{method}"),
        None => function.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::without_brackets;

    #[test]
    fn methods_are_named_as_they_are_called() {
        let check = |name: &str, expected: &str| assert_eq!(without_brackets(name), expected);
        check("<std::sync::mpsc::Receiver<i32>>::recv", "std::sync::mpsc::Receiver<i32>::recv");
        check("<a::B as c::D>::e", "<a::B as c::D>::e");
        check("std::thread::park", "std::thread::park");
    }
}
