//! What a person sees. Plain text that fits 80 columns; colour only where a terminal shows it.

use crate::columns::Columns;
use crate::paint::{Colour, Ink};
use crate::races;
use crate::source::Sources;
use crate::stacks::{in_a_row, times};
use crate::text::{counted, cut, grouped, paragraph, seconds, short, wrap};
use crate::visible::{made_visible, visible};
use crate::words::{NO_STEPS, caveat_words};
use crate::{Report, Verdict};
use crate::{small, spaces};
use gabion_trace::{Caveat, CaveatKind, Frame, NamedWitness, TraceFile};

/// Lines of the program's output that are shown.
const OUTPUT_LINES: usize = 40;
/// Data races that are shown.
const RACES: usize = 10;
/// Frames of a stack that are shown.
const STACK_FRAMES: usize = 20;
/// Frames of a race's stack that are shown: the innermost and those outside of the system's headers.
const RACE_FRAMES: usize = 6;

/// How to write.
#[derive(Debug)]
pub struct Terminal {
    /// Columns there are.
    pub width: usize,
    /// Colour or none.
    pub colour: Colour,
    /// Where source lines come from.
    pub sources: Sources,
    /// Every step, and none folded.
    pub full: bool,
}

impl Terminal {
    /// What a campaign came to. `stopped_by` says what ended a search that is not over.
    pub fn verdict(&self, report: &Report, stopped_by: Option<&str>) -> String {
        let (ink, statement) = match report.verdict {
            Verdict::Verified => (Ink::Good, "no interleaving of this program's threads fails on this input"),
            Verdict::Complete => (Ink::Good, "everything that was asked for was explored and passed"),
            Verdict::Bug if report.bugs.len() == 1 => (Ink::Bad, "an interleaving fails"),
            Verdict::Bug => (Ink::Bad, "interleavings fail in different ways"),
            Verdict::Partial => (Ink::Warning, spaces::partial_statement(report)),
            Verdict::Error => (Ink::Bad, report.error.as_deref().unwrap_or("something went wrong")),
        };
        let mut out = format!("{}: {statement}\n", self.colour.paint(ink, report.verdict.name()));
        if let (Verdict::Bug, Some(error)) = (report.verdict, &report.error) {
            out.push_str(&paragraph("  ", &format!("the search ended early: {error}"), self.width));
        }
        if report.verdict == Verdict::Error && report.runs == 0 {
            return out;
        }
        out.push_str(&self.effort(report, stopped_by));
        if report.verdict == Verdict::Partial {
            out.push_str(&spaces::in_lines(&spaces::partial(report), self.width));
        }
        self.races(report, &mut out);
        self.caveats(report, &mut out);
        out
    }

    fn effort(&self, report: &Report, stopped_by: Option<&str>) -> String {
        let searching = (report.elapsed_s - report.minimise_s).max(0.0);
        let mut text = format!("{} in {}", counted(report.runs, "run"), seconds(searching));
        if searching >= 0.01 {
            text.push_str(&format!(" ({} runs/s)", grouped(report.runs_per_s.round() as u64)));
        }
        text.push_str(&format!(", {}", spaces::searched(report)));
        if let Some(kinds) = spaces::kinds_of_runs(report) {
            text.push_str(&format!(" ({kinds})"));
        }
        if report.bugs.iter().any(|bug| bug.minimised.is_some()) {
            text.push_str(&format!(", then {} to make it small", seconds(report.minimise_s)));
        }
        let mut out = paragraph("  ", &text, self.width);
        if let Some(reason) = stopped_by {
            out.push_str(&paragraph("  ", &format!("stopped: {reason}"), self.width));
        }
        out
    }

    /// The data races, those that matter first.
    fn races(&self, report: &Report, out: &mut String) {
        let (races, untold) = (races::told(report), races::untold(report));
        let number = races::number(report);
        if number > 0 {
            out.push_str(&format!("  Data races: {}\n", grouped(number)));
        }
        for race in races.iter().take(RACES) {
            let [first, second] = &race.accesses;
            let text = format!("{}: {first}, {second}; {}", race.object, races::words(race.status, race.takes_part));
            out.push_str(&paragraph("  - ", &visible(&text), self.width));
            race.would_order.iter().for_each(|orders| out.push_str(&paragraph("      ", &visible(orders), self.width)));
            // What is called from one place only says nothing new.
            for (access, stack) in race.accesses.iter().zip(&race.stacks).filter(|(_, stack)| stack.len() > 1) {
                let verb = access.split(" by ").next().unwrap_or_default();
                let told = |(i, frame): &(usize, &String)| *i == 0 || !frame.starts_with("/usr/");
                let calls = stack.iter().enumerate().filter(told).take(RACE_FRAMES);
                let calls: Vec<String> = calls.map(|(_, frame)| cut(frame, self.width)).collect();
                out.push_str(&paragraph("      ", &format!("{verb}: {}", calls.join(", called from ")), self.width));
            }
        }
        if let Some(more) = number.checked_sub(RACES as u64).filter(|more| *more > 0) {
            let has = if number > races.len() as u64 { "has more of them" } else { "has them all" };
            out.push_str(&format!("  - and {} more (--json {has})\n", grouped(more)));
        }
        if untold > 0 {
            let pairs = if untold == 1 {
                "1 pair of accesses that is".into()
            } else {
                format!("{untold} pairs of accesses that are")
            };
            let text = format!("Not among data races: {pairs} ordered, or to memory that was reused (--json)");
            out.push_str(&paragraph("  ", &text, self.width));
        }
    }

    fn caveats(&self, report: &Report, out: &mut String) {
        let (limiting, stated): (Vec<&Caveat>, Vec<&Caveat>) =
            report.scope.caveats.iter().partition(|c| c.kind.limits());
        let limits_heading = match report.verdict {
            Verdict::Complete => "That is less than every interleaving, because:",
            _ => "Not covered:",
        };
        let stated_heading = match report.verdict {
            Verdict::Verified | Verdict::Complete => "Part of this statement:",
            _ => "Assumed:",
        };
        let allowed: Vec<&Caveat> = limiting.iter().copied().filter(|c| c.kind == CaveatKind::Allowed).collect();
        if report.verdict == Verdict::Bug && !allowed.is_empty() {
            out.push_str("  Allowed, so no bugs here:\n");
            allowed.iter().for_each(|c| out.push_str(&paragraph("  - ", &visible(&c.place), self.width)));
        }
        for (heading, caveats) in [(limits_heading, limiting), (stated_heading, stated)] {
            if !caveats.is_empty() && report.verdict != Verdict::Bug {
                out.push_str(&format!("  {heading}\n"));
                caveats.iter().for_each(|c| out.push_str(&paragraph("  - ", &caveat_words(c), self.width)));
            }
        }
    }

    /// A bug and the interleaving that shows it. `path` is the trace file, for replaying it.
    pub fn bug(&self, file: &TraceFile, path: Option<&str>) -> String {
        let file = &made_visible(file);
        // Who took part is shown below, with stacks.
        let shown = file.witnesses.first().and_then(|w| file.message.split(&format!("; {}", w.what)).next());
        let said = self.sources.shorten(shown.unwrap_or(&file.message).trim());
        let lines = wrap(&format!("{}: {said}", file.kind), self.width - 2).join("\n  ");
        let kind = format!("{}:", file.kind);
        let mut out = format!("{}{}\n", self.colour.paint(Ink::Bad, &kind), &lines[kind.len()..]);
        self.where_it_failed(file, &mut out);
        file.witnesses.iter().for_each(|witness| self.witness(witness, &mut out));
        if !file.explanation.is_empty() {
            out.push_str("\nHow it came about:\n");
            for sentence in &file.explanation {
                out.push_str(&paragraph("  ", &self.sources.shorten(sentence), self.width));
            }
        } else if !file.waiting.is_empty() && file.kind == "deadlock" {
            out.push_str("\nWho waits for what:\n");
            for line in &file.waiting {
                out.push_str(&paragraph("  ", &self.sources.shorten(line), self.width));
            }
        }
        if !file.steps.is_empty() {
            out.push_str(&format!("\n{}\n", self.size(file)));
            for sentence in small::sentences(file) {
                out.push_str(&paragraph("  ", &sentence, self.width));
            }
            out.push('\n');
            out.push_str(&Columns::new(file, &self.sources, self.colour, self.width, self.full).draw());
        } else {
            out.push_str(&format!("\n{}\n", paragraph("", NO_STEPS, self.width)));
        }
        self.output(file, &mut out);
        if let Some(path) = path {
            out.push_str(&format!("Run it again: gabion replay {path}\n"));
        }
        out
    }

    fn size(&self, file: &TraceFile) -> String {
        let threads = file.steps.iter().map(|s| s.thread).collect::<std::collections::BTreeSet<_>>().len();
        let count = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
        let parts = [count(file.steps.len(), "step"), count(threads, "thread"), count(file.preemptions, "preemption")];
        format!("The interleaving: {}", parts.join(", "))
    }

    fn where_it_failed(&self, file: &TraceFile, out: &mut String) {
        let Some(location) = &file.location else { return };
        let thread = file.outcome.thread;
        let who = file.threads.get(thread.index()).filter(|name| !name.is_empty());
        let who = who.map_or(String::new(), |name| format!(" ({name})"));
        let at = self.frame(location);
        if file.kind == "deadlock" {
            return;
        }
        // What a test framework says names no thread.
        let said = location.module.is_empty() && location.function.is_none();
        let who = if said { String::new() } else { format!(", thread {thread}{who}") };
        out.push_str(&paragraph("  ", &format!("{at}{who}"), self.width));
        if let (Some(name), Some(line)) = (&location.file, location.line)
            && let Some(text) = self.sources.line(name, line)
        {
            out.push_str(&format!("    {}\n", self.colour.paint(Ink::Faint, &cut(&text, self.width - 4))));
        }
        let callers = file.stack.iter().skip_while(|f| *f != location).skip(1);
        let callers = callers.filter(|f| f.line.is_some() && !f.is_library());
        for (frame, count) in in_a_row(callers).take(STACK_FRAMES) {
            let call = format!("called from {}{}", self.frame(frame), times(count));
            out.push_str(&paragraph("  ", &call, self.width));
        }
    }

    /// Who else took part, and where.
    fn witness(&self, witness: &NamedWitness, out: &mut String) {
        out.push_str(&paragraph("  ", &witness.what, self.width));
        let own = witness.stack.iter().any(|f| f.line.is_some() && !f.is_library());
        let known = witness.stack.iter().filter(|f| f.line.is_some() && !(own && f.is_library()));
        for (i, (frame, count)) in in_a_row(known).take(STACK_FRAMES).enumerate() {
            let called = if i == 0 { "" } else { "called from " };
            let call = format!("{called}{}{}", self.frame(frame), times(count));
            out.push_str(&paragraph("    ", &call, self.width));
        }
    }

    fn frame(&self, frame: &Frame) -> String {
        let place = match (&frame.file, frame.line) {
            (Some(file), Some(line)) => format!("{}:{line}", self.sources.name(file)),
            _ => frame.module.clone(),
        };
        match &frame.function {
            Some(function) => format!("{place} in {}", short(function)),
            None => place,
        }
    }

    /// The end of what the program printed: a failing program says why last.
    fn output(&self, file: &TraceFile, out: &mut String) {
        let lines: Vec<&str> = file.output.lines().collect();
        if lines.is_empty() {
            return;
        }
        out.push_str("The program printed:\n");
        let skipped = lines.len().saturating_sub(OUTPUT_LINES);
        if skipped > 0 {
            out.push_str(&format!("  | ... {skipped} lines before\n"));
        }
        for line in &lines[skipped..] {
            out.push_str(format!("  | {}", cut(line, self.width.max(40) * 2)).trim_end());
            out.push('\n');
        }
        out.push('\n');
    }
}
