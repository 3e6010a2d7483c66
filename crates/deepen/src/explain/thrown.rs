//! Why the C++ library gave up.

use super::accesses::Reader;
use super::{Kind, Told, place};
use crate::evidence::failing_sites;
use crate::naming::Namer;
use gabion_trace::{Frame, Role, Step, Witness};

/// Functions of `std::thread` that end the program if its thread was neither joined nor detached, and what they do to it.
const OWNERS: [(&str, &str); 2] = [("std::thread::~thread", "destroyed"), ("std::thread::operator=", "assigned to")];

impl Told<'_> {
    /// Who threw first what was thrown again and not caught, or which `std::thread` still had its thread.
    pub(super) fn thrown(&self, namer: &mut Namer<'_>) -> Option<String> {
        match self.kind {
            Kind::UncaughtException => self.thrown_first(namer),
            _ => self.joinable(namer),
        }
    }

    /// Who threw first what another one threw again: what led to it is what that one read until then.
    pub(super) fn first_thrower(&self, namer: &mut Namer<'_>) -> Option<Reader> {
        let (first, _) = self.thrown_twice().filter(|_| self.kind == Kind::UncaughtException)?;
        let own = |step: &Step| step.thread == first.thread && step.number == first.size;
        let steps = self.trace.steps.iter().position(own).map_or(self.steps.len(), |step| step + 1);
        Some(Reader { thread: first.thread, stack: namer.stack(first.pc, &first.stack), steps })
    }

    /// The first and the last time, if that was not the same.
    fn thrown_twice(&self) -> Option<(&Witness, &Witness)> {
        let witnesses = &self.trace.witnesses;
        let last = witnesses.iter().find(|w| w.role == Role::Failed && w.address != 0)?;
        let first = witnesses.iter().find(|w| w.role == Role::Raised && w.address == last.address)?;
        ((first.thread, first.pc) != (last.thread, last.pc)).then_some((first, last))
    }

    /// An exception that came through a future, or another pointer to it, has another place where it began.
    fn thrown_first(&self, namer: &mut Namer<'_>) -> Option<String> {
        let (first, last) = self.thrown_twice()?;
        let mut by = |w: &Witness| {
            let own: Vec<Frame> = namer.stack(w.pc, &w.stack).into_iter().filter(|frame| !frame.is_library()).collect();
            format!("{}{}", self.who(w.thread), place(&own))
        };
        Some(format!("The exception was thrown by {}, and thrown again by {}.", by(first), by(last)))
    }

    fn joinable(&self, namer: &mut Namer<'_>) -> Option<String> {
        let functions = namer.functions(self.outcome.pc, failing_sites(self.trace).unwrap_or_default());
        let owner = |function: &String| OWNERS.iter().find(|(name, _)| function.starts_with(name));
        // It says so itself, through at most one more function.
        let (_, deed) = functions.iter().take(2).find_map(owner)?;
        let at = self.location.map_or(String::new(), |frame| place(std::slice::from_ref(frame)));
        Some(format!(
            "A std::thread is {deed} by {}{at} whose thread was neither joined nor detached: that ends the program.",
            self.who(self.outcome.thread)
        ))
    }
}
