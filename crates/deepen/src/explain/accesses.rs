//! What the failing thread read, who wrote that, and what came between accesses that belong together.

use super::{Told, past, place};
use crate::asserted::Asserted;
use crate::atomicity::{Accesses, Between, Effect, Met, Nearness, Touch};
use crate::naming::{Namer, access_verb};
use crate::reads::{Contrast, Passing, Read, candidates, is_decided, last_of_each, on_the_way, relevant};
use gabion_trace::{Event, Frame, Step, Switch, SwitchRole, ThreadId};

/// Whose reads are told, and where it was when it failed.
pub(super) struct Reader {
    pub(super) thread: ThreadId,
    /// Innermost first.
    pub(super) stack: Vec<Frame>,
    /// So many steps had been made.
    pub(super) steps: usize,
}

impl Told<'_> {
    /// Only of reads that can be shown to bear on the failure.
    pub(super) fn accesses(&self, namer: &mut Namer<'_>, reader: &Reader) -> Vec<String> {
        let accesses = Accesses::of(self.trace, reader.steps, reader.thread);
        let passing = Passing::of(self.trace, self.passing, reader.thread);
        let mut all: Vec<Read> =
            accesses.reads().into_iter().map(|met| self.read(namer, reader, &passing, met)).collect();
        self.ask(namer, reader, &mut all);
        let all = candidates(all);
        let told = relevant(&all);
        let hidden = self.hidden(namer, reader.thread);
        if told.is_empty() {
            return hidden.or_else(|| self.undecided(namer, reader.thread, &passing, &all)).into_iter().collect();
        }
        let decided = is_decided(&told);
        let parted = |found: &Between| self.is_parted(found);
        // What another thread reads twice it need not have read for the same purpose.
        let is_plain = |found: &Between| found.second.thread == reader.thread || found.second.access.kind.writes();
        let touches: Vec<Touch> = told.iter().map(|read| read.met.access).collect();
        let mut between = accesses.between(
            &touches,
            |found| decided && is_plain(found) || parted(found),
            |t| self.nearness(namer, t),
        );
        if between.is_none() {
            let others: Vec<Touch> = all.iter().map(|read| read.met.access).collect();
            between = accesses.between(&others, parted, |touch| self.nearness(namer, touch));
        }
        let mut out: Vec<String> = told.iter().map(|read| self.found(namer, &passing, read)).collect();
        out.extend((!decided).then(|| "Which of them matters is not known.".to_string()));
        out.extend(between.map(|between| self.between(namer, &between)));
        out.extend(hidden);
        out
    }

    /// Of the reads at the line that fails, those that the failing expression cannot have made are not where it fails.
    fn ask(&self, namer: &mut Namer<'_>, reader: &Reader, reads: &mut [Read]) {
        let Some(asserted) = Asserted::of(self.message) else { return };
        let is_c = Frame::place(&reader.stack).and_then(|f| f.file.as_ref()).is_some_and(|file| file.ends_with(".c"));
        let mut there: Vec<(&mut Read, Option<String>)> = Vec::new();
        for read in reads.iter_mut().filter(|read| read.on_the_way == Some(0)) {
            let Touch { event, access, .. } = read.met.access;
            // In C an expression that names no function calls none.
            if is_c && namer.stack(access.pc, self.trace.access_stack(event)).len() > reader.stack.len() {
                read.on_the_way = None;
                continue;
            }
            there.push((read, namer.variable(access.address)));
        }
        // A name that nobody read may stand for anything.
        if !asserted.indirect && asserted.is_within(there.iter().filter_map(|(_, name)| name.as_deref())) {
            let others = there.into_iter().filter(|(_, name)| name.as_ref().is_some_and(|name| !asserted.names(name)));
            others.for_each(|(read, _)| read.on_the_way = None);
        }
    }

    /// Does a switch without which it would not fail part two accesses that belong together, after the first and before its
    /// thread has touched any other memory?
    fn is_parted(&self, found: &Between) -> bool {
        let steps = &self.trace.steps;
        let within = |step: &Step| step.events.range().contains(&found.first.event);
        let Some(first) = steps.iter().position(within) else { return false };
        let more = steps[first + 1..].iter().take_while(|step| step.thread == found.first.thread);
        let touches = |step: &Step| self.trace.events(step).iter().any(|event| matches!(event, Event::Access { .. }));
        let left = first + 1 + more.clone().count();
        let parts = |switch: &Switch| switch.role == SwitchRole::Essential && switch.step == left;
        !more.into_iter().any(touches) && self.switches.iter().any(parts)
    }

    fn read(&self, namer: &mut Namer<'_>, reader: &Reader, passing: &Passing, met: Met) -> Read {
        let near = self.nearness(namer, &met.access);
        let near = met.before.map_or(near, |before| near.min(self.nearness(namer, &before)));
        let stack = namer.stack(met.access.access.pc, self.trace.access_stack(met.access.event));
        let on_the_way = on_the_way(&reader.stack, &stack);
        Read { met, near, on_the_way, contrast: passing.contrast(&met.access) }
    }

    fn nearness(&self, namer: &mut Namer<'_>, touch: &Touch) -> Nearness {
        namer.nearness(&touch.access, self.trace.access_stack(touch.event))
    }

    pub(super) fn at(&self, namer: &mut Namer<'_>, touch: &Touch) -> String {
        self.step_of(touch.event);
        place(&namer.stack(touch.access.pc, self.trace.access_stack(touch.event)))
    }

    fn found(&self, namer: &mut Namer<'_>, passing: &Passing, read: &Read) -> String {
        let Met { access, before, .. } = &read.met;
        let size = access.access.size;
        let found = passing.value(access.event).and_then(|found| namer.value(found, size, access.event));
        let found = found.map(|value| format!(" and finds {value}"));
        let before = before.map(|before| {
            let verb = access_verb(before.access.kind);
            match (before.thread == access.thread, self.at(namer, &before)) {
                (true, at) => format!("; it was itself the last to {verb} it{at}"),
                (false, at) => format!("; before that {} {} it{at}", self.who(before.thread), past(verb)),
            }
        });
        let otherwise = match (read.contrast, self.passing) {
            (Contrast::Differs(other), Some(run)) => {
                namer.value_in(run, other, size).map(|other| format!("finds {other}"))
            }
            (Contrast::Elsewhere(other), Some(run)) => Some(format!("reads {} there", namer.name_in(run, other, size))),
            _ => None,
        };
        let otherwise = otherwise.map(|other| format!(" In the closest interleaving that passes it {other}."));
        format!(
            "{} {}s {}{}{}{}.{}",
            self.who(access.thread),
            access_verb(access.access.kind),
            namer.name_of(&access.access, access.event),
            self.at(namer, access),
            found.unwrap_or_default(),
            before.unwrap_or_default(),
            otherwise.unwrap_or_default(),
        )
    }

    /// Of several reads nothing shows which of them matters.
    fn undecided(&self, namer: &mut Namer<'_>, thread: ThreadId, passing: &Passing, reads: &[Read]) -> Option<String> {
        let live: Vec<Read> = reads.iter().filter(|read| read.contrast == Contrast::Unknown).copied().collect();
        let mut words: Vec<String> = Vec::new();
        for Read { met: Met { access, .. }, .. } in last_of_each(live) {
            let size = access.access.size;
            let value = passing.value(access.event).and_then(|value| namer.value(value, size, access.event));
            let value = value.map_or(String::new(), |value| format!(" ({value})"));
            words.push(format!("{}{}{value}", namer.name_of(&access.access, access.event), self.at(namer, &access)));
        }
        let (last, others) = words.split_last().filter(|(_, others)| !others.is_empty())?;
        let who = self.who(thread);
        Some(format!("{who} has read {} and {last}; which of them matters is not known.", others.join(", ")))
    }

    fn between(&self, namer: &mut Namer<'_>, found: &Between) -> String {
        let Between { first, other, second, effect } = found;
        let effect = match effect {
            Effect::Lost => "is overwritten by what knows nothing of it",
            Effect::Changes => "changes it",
            Effect::SeesHalf => "sees what is only half done",
            Effect::Replaces => "replaces what was to be read back",
        };
        format!(
            "The {} of {} by {}{} and its {}{} belong together: the {} by {}{} came between and {effect}.",
            access_verb(first.access.kind),
            namer.name_of(&second.access, second.event),
            self.who(second.thread),
            self.at(namer, first),
            access_verb(second.access.kind),
            self.at(namer, second),
            access_verb(other.access.kind),
            self.who(other.thread),
            self.at(namer, other),
        )
    }
}
