//! An interleaving as a table: a row for each step, a column for each thread.

use super::Bug;
use crate::columns::{columns_of, ends};
use crate::small;
use crate::text::counted;
use gabion_trace::{Fewest, Frame, NamedAccess, NamedStep, NamedWait, Round, SwitchRole, ThreadId, rounds};
use maud::{Markup, html};
use std::collections::BTreeSet;

/// Columns that one can read beside each other; more threads than that share one.
const COLUMNS: usize = 6;

impl Bug<'_> {
    /// How to read it, and what was done to make it small.
    pub(super) fn legend(&self) -> Markup {
        html! {
            p.faint {
                @if columns_of(&self.file.steps, &[]).len() > COLUMNS {
                    "Time runs down; each step names its thread. "
                } @else {
                    "Time runs down; each thread has a column. "
                }
                @if let Some(sentence) = small::left_in_loops(self.file) { (sentence) " " }
                @if let Some(m) = self.file.minimisation.as_ref().filter(|m| m.allowed == 0) {
                    "It is as it was found (--minimise-runs " (m.allowed) "). "
                } @else if let Some(m) = &self.file.minimisation {
                    @match m.fewest {
                        Fewest::Proven if self.file.preemptions == 0 => "",
                        Fewest::Proven => {
                            "No interleaving with fewer preemptions shows this failure: " (small::tried(m)) ". "
                        },
                        Fewest::Unknown => "Whether fewer preemptions would do is not known. ",
                    }
                    @if let Some(sentence) = small::smaller(self.file, m) { (sentence) " " }
                    "Made small in " (counted(m.runs, "run"))
                    @if let Some(why) = &m.stopped { " (" (why) ")" }
                    "."
                    @if self.marks_essential() {
                        " An " span.mark { "essential" } " switch is one without which this failure does not show."
                    }
                }
            }
        }
    }

    /// Is there a switch in the table that is marked as essential? What only repeats is not in it.
    fn marks_essential(&self) -> bool {
        let (file, steps) = (self.file, &self.file.steps);
        let shown: Vec<usize> = (0..steps.len()).filter(|step| !self.again.contains(step)).collect();
        let is_shown =
            |step: usize| shown.windows(2).any(|two| two[1] == step && steps[two[0]].thread != steps[step].thread);
        let switches = file.minimisation.iter().flat_map(|m| &m.switches);
        switches.filter(|switch| switch.role.is_essential()).any(|switch| is_shown(switch.step))
    }

    /// The table. `own`: it is the one that the page is about, and not another that is shown beside it.
    pub(super) fn table(&self, id: &str, steps: &[NamedStep], own: bool) -> Markup {
        let mut ends = if own { ends(self.file) } else { Vec::new() };
        let fails = own && self.file.kind != "deadlock";
        let of_thread = || steps.iter().rposition(|s| s.thread == self.file.outcome.thread);
        let last = if fails { self.file.failed_in.or_else(of_thread) } else { None };
        // What fails in a step is told there.
        ends.retain(|end| !fails || last.is_none() || end.thread != self.file.outcome.thread);
        let threads = columns_of(steps, &ends);
        // What repeats is shown once, in another run that fails so too.
        let livelock = self.file.kind == "livelock" && id != "passing";
        let rounds = if livelock { rounds(steps, self.file.outcome.thread) } else { Vec::new() };
        let again = repeats(&rounds);
        let shown: Vec<usize> = (0..steps.len()).filter(|index| !again.contains(index)).collect();
        let own_shown = |until: usize| {
            let own = |index: &&usize| **index <= until && steps[**index].thread == self.file.outcome.thread;
            shown.iter().rev().find(own).copied()
        };
        let last = last.and_then(own_shown);
        html! {
            table.steps.list[threads.len() > COLUMNS] id=(id) data-steps=(steps.len()) style=(format!("--threads: {}", threads.len())) {
                thead { tr {
                    th scope="col" { "step" }
                    @for thread in &threads { th scope="col" { (self.thread(*thread)) } }
                } }
                tbody {
                    @for (nth, index) in shown.iter().copied().enumerate() {
                        @let before = nth.checked_sub(1).map(|before| shown[before]);
                        @for round in rounds.iter().filter(|r| r.until() < index && before.is_some_and(|b| b < r.until())) {
                            (self.again(round, threads.len()))
                        }
                        @if let Some(before) = before.map(|b| steps[b].thread).filter(|b| *b != steps[index].thread) {
                            (self.switch(before, steps[index].thread, index, threads.len(), own))
                        }
                        (self.step(&steps[index], index, &threads, own, last == Some(index)))
                    }
                    @for round in rounds.iter().filter(|r| shown.last().is_some_and(|last| *last < r.until())) {
                        (self.again(round, threads.len()))
                    }
                    @for end in &ends { (self.end(end, &threads)) }
                }
            }
        }
    }

    /// That a thread does the same again and again.
    fn again(&self, round: &Round, columns: usize) -> Markup {
        html! { tr.switch { td colspan=(columns + 1) { "↻ " (self.thread(round.thread)) ": " (small::again(round)) } } }
    }

    fn switch(&self, from: ThreadId, to: ThreadId, step: usize, columns: usize, own: bool) -> Markup {
        let switches = self.file.minimisation.as_ref().map_or(&[][..], |m| &m.switches);
        let role = switches.iter().find(|s| own && s.step == step).map(|s| s.role);
        html! {
            tr.switch {
                td colspan=(columns + 1) {
                    "↳ " (from) " to " (to) " "
                    @match role {
                        Some(SwitchRole::Essential) => span.mark { "◆ essential: without this switch it does not fail" },
                        Some(SwitchRole::Diverting) => span.mark { "◆ essential: without this switch it fails in another way" },
                        Some(SwitchRole::Forced) => span.faint { (from) " " (self.why_forced(from, step)) },
                        Some(SwitchRole::Incidental) => span.faint { "it fails without this switch too" },
                        Some(SwitchRole::Untried) | None => "",
                    }
                    @if own && self.file.left_in_loops.contains(&step) {
                        span.faint { " " (from) " is in a loop that was taken to wait, and could go on" }
                    }
                }
            }
        }
    }

    /// Why a thread does not go on: it waits, or there is nothing left for it to do.
    fn why_forced(&self, thread: ThreadId, step: usize) -> &'static str {
        let goes_on = self.file.steps.iter().skip(step).any(|s| s.thread == thread);
        let waits = self.file.blocked.iter().any(|wait| wait.thread == thread);
        if goes_on || waits { "cannot go on" } else { "has no further step" }
    }

    fn step(&self, step: &NamedStep, index: usize, threads: &[ThreadId], own: bool, last: bool) -> Markup {
        let before = threads.iter().position(|t| *t == step.thread).unwrap_or(0);
        let words = format!("{} {}", step.thread, step.what);
        // Where a library is by itself says nothing of the program, and is folded with the stack.
        let place = Frame::place(&step.stack).filter(|frame| !frame.is_library());
        html! {
            tr.one.last[last] id=[own.then(|| step_id(index))] data-words=(words) data-thread=(step.thread.0) data-index=(index) {
                th scope="row" { (index + 1) }
                @for _ in 0..before { td {} }
                td.step data-of=(self.thread(step.thread)) {
                    div.what { (step.what.replace(" -> ", " → ")) }
                    @if let Some(frame) = place {
                        (self.place(frame))
                        @if let Some(text) = self.line(frame) { div.code { (text) } }
                    }
                    @for access in &step.accesses { (self.access(access, own)) }
                    @if step.stack.len() > usize::from(place.is_some()) { details { summary { "stack" } (self.stack(&step.stack)) } }
                    @if last { div.bad { "✗ " (self.file.kind) } }
                }
                @for _ in before + 1..threads.len() { td {} }
            }
        }
    }

    /// A thread that waits or fails when the run ends.
    fn end(&self, wait: &NamedWait, threads: &[ThreadId]) -> Markup {
        let opens = self.file.location.as_ref() == Frame::place(&wait.stack);
        let before = threads.iter().position(|t| *t == wait.thread).unwrap_or(0);
        html! {
            tr.one.last.end data-words=(format!("{} {}", wait.thread, wait.what)) data-thread=(wait.thread.0) data-opens[opens] {
                th scope="row" { "end" }
                @for _ in 0..before { td {} }
                td.step data-of=(self.thread(wait.thread)) {
                    div.what { span.bad { "✗ " } (self.sources.shorten(&wait.what)) }
                    (self.where_it_is(&wait.stack))
                }
                @for _ in before + 1..threads.len() { td {} }
            }
        }
    }

    /// The program's own line of a stack, and the stack.
    pub(super) fn where_it_is(&self, stack: &[Frame]) -> Markup {
        html! {
            @if let Some(frame) = Frame::place(stack) {
                (self.place(frame))
                @if let Some(text) = self.line(frame) { div.code { (text) } }
            }
            @if stack.len() > 1 { details { summary { "stack" } (self.stack(stack)) } }
        }
    }

    /// What an access saw and left, and with which steps it conflicts: the last before it, the first after it.
    fn access(&self, access: &NamedAccess, own: bool) -> Markup {
        let partners: Vec<usize> = access.with.into_iter().chain(access.next).collect();
        html! {
            div.access {
                (access.what) " " code { (self.sources.shorten(&access.object)) }
                @match (&access.before, &access.after) {
                    (Some(before), Some(after)) if before != after => { ": " code { (before) } " → " code { (after) } },
                    (Some(value), _) | (None, Some(value)) => { ": " code { (value) } },
                    (None, None) => {},
                }
                @if own && !partners.is_empty() {
                    " ⇄ conflicts with "
                    @for (nth, step) in partners.iter().enumerate() { @if nth > 0 { " and " } (self.link(*step)) }
                }
            }
        }
    }

    /// Leads to a step, without script too. A step that only repeats another is not shown: that leads to the table.
    pub(super) fn link(&self, step: usize) -> Markup {
        let target = if self.again.contains(&step) { "interleaving".into() } else { step_id(step) };
        html! { a href=(format!("#{target}")) data-step=(step) { "step " (step + 1) } }
    }

    /// The text of a frame's line.
    fn line(&self, frame: &Frame) -> Option<&str> {
        let text = self.file.sources.get(frame.file.as_ref()?)?.get(&frame.line?)?.trim();
        (!text.is_empty()).then_some(text)
    }
}

/// Steps that only repeat others.
pub(super) fn repeats(rounds: &[Round]) -> BTreeSet<usize> {
    rounds.iter().flat_map(|round| round.again.iter().copied()).collect()
}

fn step_id(step: usize) -> String {
    format!("step-{}", step + 1)
}
