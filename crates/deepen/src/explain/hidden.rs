//! What the C library keeps for all threads (where `strtok` goes on, the environment), used by another one between two uses.

use super::{Told, place};
use crate::naming::Namer;
use gabion_trace::{Address, OpKind, Space, Step, Switch, SwitchRole, ThreadId};

impl Told<'_> {
    /// Told of the last switch right after a thread's use without which it would not fail.
    pub(super) fn hidden(&self, namer: &mut Namer<'_>, thread: ThreadId) -> Option<String> {
        let essential = |switch: &&Switch| switch.role == SwitchRole::Essential && switch.from == thread;
        let (object, used) = self.switches.iter().rev().filter(essential).find_map(|switch| self.parted(switch))?;
        let [first, other, second] = used.map(|step| {
            self.spoken_of.borrow_mut().steps.insert(step);
            place(&self.steps[step].stack)
        });
        let (name, who) = (namer.name(object), self.who(thread));
        let by = self.who(self.steps[used[1]].thread);
        Some(format!("{who} uses {name}{first} and again{second}: in between {by} used it{other}."))
    }

    /// The uses around a switch: before it, in between, after it.
    fn parted(&self, switch: &Switch) -> Option<(Address, [usize; 3])> {
        let first = switch.step.checked_sub(1)?;
        let steps = self.trace.steps.get(..self.steps.len())?;
        let object = uses(steps.get(first)?)?;
        let after = |of: &dyn Fn(ThreadId) -> bool| {
            let rest = steps.iter().enumerate().skip(switch.step);
            rest.filter(|(_, step)| of(step.thread) && uses(step) == Some(object)).map(|(index, _)| index).next()
        };
        let other = after(&|thread| thread != switch.from)?;
        let second = after(&|thread| thread == switch.from)?;
        (other < second).then_some((object, [first, other, second]))
    }
}

/// The hidden state that a step begins by using.
fn uses(step: &Step) -> Option<Address> {
    let pending = step.pending.filter(|pending| pending.op == OpKind::Hidden)?;
    (pending.object.space() == Some(Space::Pseudo)).then_some(pending.object)
}
