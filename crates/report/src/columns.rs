//! An interleaving as columns of threads.
//!
//! Steps of one thread between two switches are folded: the first and the last are shown, because a switch is only
//! understood from the steps on both sides of it. With so many threads that columns would be too narrow, threads that only
//! start and end are left out; if that is not enough all share one column, and what lies between switches is headed by
//! its thread.

use crate::paint::{Colour, Ink};
use crate::small;
use crate::source::Sources;
use crate::text::{cut, length, wrap};
use gabion_trace::{Frame, NamedAccess, NamedStep, NamedWait, Round, Switch, ThreadId, TraceFile};
use std::collections::BTreeSet;

/// Width of the step numbers.
const GUTTER: usize = 6;
const NARROWEST: usize = 17;
/// How far the one column for all is moved in below its headings.
const INDENT: usize = 2;
/// Steps between the first and the last of a segment that get a line each.
const WORDED: usize = 4;
/// Segments shown at the beginning and at the end of a long run.
const FIRST: usize = 30;
const LAST: usize = 170;

/// Draws a trace's steps.
pub(crate) struct Columns<'a> {
    file: &'a TraceFile,
    sources: &'a Sources,
    colour: Colour,
    threads: Vec<ThreadId>,
    /// Only start and end, and have no column.
    idle: Vec<ThreadId>,
    layout: Layout,
    /// Nothing is folded.
    full: bool,
    /// Steps that the words above speak of: these are never folded.
    spoken_of: BTreeSet<usize>,
}

#[derive(Clone, Copy)]
enum Layout {
    /// A column for each thread.
    Columns { width: usize },
    /// One column for all, with headings.
    List { width: usize },
}

struct Cell {
    lines: Vec<(Ink, String)>,
}

impl<'a> Columns<'a> {
    pub(crate) fn new(file: &'a TraceFile, sources: &'a Sources, colour: Colour, width: usize, full: bool) -> Self {
        let ends = ends(file);
        let mut threads = columns_of(if full { &file.steps } else { until_failure(file) }, &ends);
        let mut idle = Vec::new();
        if !full && room(width, threads.len()).is_none() {
            (idle, threads) = threads.into_iter().partition(|thread| is_idle(file, &ends, *thread));
        }
        let layout = match room(width, threads.len()) {
            Some(width) => Layout::Columns { width },
            None => Layout::List { width: width.saturating_sub(GUTTER + INDENT) },
        };
        Columns { file, sources, colour, threads, idle, layout, full, spoken_of: spoken_of(file) }
    }

    /// The whole drawing. What repeats is shown once.
    pub(crate) fn draw(&self) -> String {
        let failed = until_failure(self.file).len();
        let rounds = if self.full { Vec::new() } else { self.file.rounds() };
        let again: BTreeSet<usize> = rounds.iter().flat_map(|round| round.again.iter().copied()).collect();
        let numbered = self.file.steps.iter().enumerate().filter(|(index, _)| !again.contains(index));
        let (steps, after): (Vec<_>, Vec<_>) = numbered.partition(|(index, _)| *index < failed);
        let repeated: BTreeSet<usize> = rounds.iter().flat_map(|round| round.steps.iter().copied()).collect();
        let mut out = self.heading();
        let mut rest = steps.as_slice();
        for round in in_order(&rounds) {
            let (before, after) = rest.split_at(rest.partition_point(|(index, _)| *index < round.until()));
            self.segments(before, &repeated, &mut out);
            self.again(round, &mut out);
            rest = after;
        }
        self.segments(rest, &repeated, &mut out);
        for end in ends(self.file) {
            let place = Frame::place(&end.stack).or(self.file.location.as_ref());
            self.end(end.thread, &end.what, place, &mut out);
        }
        match after.len() {
            0 => {}
            _ if self.full => self.segments(&after, &repeated, &mut out),
            1 => out.push_str("   ...  1 more step until the program has ended\n\n"),
            n => out.push_str(&format!("   ...  {n} more steps until the program has ended\n\n")),
        }
        out
    }

    /// That a thread does the same again and again.
    fn again(&self, round: &Round, out: &mut String) {
        let lines = wrap(&small::again(round), self.width()).into_iter().map(|line| (Ink::Heading, line)).collect();
        self.turn(round.thread, out);
        self.row("...", round.thread, &Cell { lines }, out);
        out.push('\n');
    }

    /// Numbered steps by what lies between switches. Those that are repeated later are not folded.
    fn segments(&self, steps: &[(usize, &NamedStep)], repeated: &BTreeSet<usize>, out: &mut String) {
        let segments: Vec<_> = steps.chunk_by(|a, b| a.1.thread == b.1.thread).collect();
        for (index, segment) in segments.iter().enumerate() {
            if self.idle.contains(&segment[0].1.thread) {
                // Named above.
            } else if self.is_shown(index, &segments) {
                self.segment(segment, repeated, out);
            } else if self.is_shown(index - 1, &segments) {
                let left_out = (index..segments.len()).take_while(|at| !self.is_shown(*at, &segments)).count();
                out.push_str(&format!("   ...  {left_out} switches left out\n\n"));
            }
        }
    }

    /// Is what lies between two switches shown? In long runs the middle is left out.
    fn is_shown(&self, index: usize, segments: &[&[(usize, &NamedStep)]]) -> bool {
        let at_an_end = index < FIRST || index + LAST >= segments.len();
        self.full || at_an_end || segments[index].iter().any(|(step, _)| self.spoken_of.contains(step))
    }

    fn heading(&self) -> String {
        let mut out = String::new();
        if !self.idle.is_empty() {
            let names: Vec<String> = self.idle.iter().map(ThreadId::to_string).collect();
            let text = format!("Left out, because they only start and end: {}.", names.join(", "));
            out = wrap(&text, self.wide() - 2).iter().map(|line| format!("  {line}\n")).collect::<String>() + "\n";
        }
        if let Layout::Columns { width } = self.layout {
            let name = |thread: &ThreadId| format!("{:width$}", cut(&self.title(*thread), width));
            let names: Vec<String> = self.threads.iter().map(name).collect();
            let line = format!("{:GUTTER$}{}", "", names.join(" "));
            out.push_str(&format!("{}\n", self.colour.paint(Ink::Heading, line.trim_end())));
        }
        out
    }

    /// A thread, with its name.
    fn title(&self, thread: ThreadId) -> String {
        let name = self.file.threads.get(thread.index()).map_or("", String::as_str);
        format!("{thread} {name}").trim_end().to_string()
    }

    /// In the one column for all: whose steps follow.
    fn turn(&self, thread: ThreadId, out: &mut String) {
        if let Layout::List { width } = self.layout {
            let title = self.colour.paint(Ink::Heading, &cut(&self.title(thread), width + INDENT));
            out.push_str(&format!("{:GUTTER$}{title}\n", ""));
        }
    }

    /// The first and the last step in full; those between in a word each. Where they are many, those that conflict with other
    /// threads' or change what these see, and the others are counted.
    fn segment(&self, steps: &[(usize, &NamedStep)], repeated: &BTreeSet<usize>, out: &mut String) {
        let mut last_place = None;
        let mut folded = 0;
        self.turn(steps[0].1.thread, out);
        for (nth, (index, step)) in steps.iter().enumerate() {
            let label = (index + 1).to_string();
            let inner = nth > 0 && nth + 1 < steps.len() && !self.full;
            let spoken_of = self.spoken_of.contains(index);
            if inner && steps.len() > WORDED + 2 && !matters(step) && !repeated.contains(index) && !spoken_of {
                folded += 1;
                continue;
            }
            if folded > 0 {
                let text = format!("... {folded} more step{}", if folded == 1 { "" } else { "s" });
                self.row("", step.thread, &Cell { lines: vec![(Ink::Faint, text)] }, out);
                folded = 0;
            }
            let place = Frame::place(&step.stack);
            // Where a library is by itself, in a test harness for example, says nothing of the program.
            let told = |p: &&Frame| self.full || !p.is_library();
            let new = place.filter(told).filter(|p| Some(*p) != last_place && (!inner || spoken_of));
            self.row(&label, step.thread, &self.cell(step, new), out);
            last_place = new.or(last_place);
        }
        out.push('\n');
    }

    fn cell(&self, step: &NamedStep, place: Option<&Frame>) -> Cell {
        let width = self.width();
        let mut lines: Vec<(Ink, String)> =
            wrap(&step.what, width).into_iter().map(|line| (Ink::Heading, line)).collect();
        lines.extend(place.into_iter().flat_map(|frame| self.at(frame)));
        for access in &step.accesses {
            let values = values(access);
            if says(&step.what, &format!("{}{values}", access.object)) {
                continue;
            }
            let text = match change(access) {
                _ if access.spoken_of => format!("{} {}{values}", access.what, access.object),
                Some((object, before, after)) => format!("{object}: {before} -> {after}"),
                None => continue,
            };
            lines.extend(wrap(&text, width).into_iter().map(|line| (Ink::Heading, line)));
            let own = Frame::place(&access.stack).filter(|own| access.spoken_of && Some(*own) != place);
            lines.extend(own.into_iter().flat_map(|own| self.at(own)));
        }
        Cell { lines }
    }

    /// Where something is, and the text there.
    fn at(&self, frame: &Frame) -> Vec<(Ink, String)> {
        let width = self.width();
        let place = wrap(&self.place(frame, width), width).into_iter().map(|line| (Ink::Warning, line));
        let text = self.source(frame).map(|text| (Ink::Faint, format!("  {}", cut(&text, width - 2))));
        place.chain(text).collect()
    }

    /// How it ends for a thread.
    fn end(&self, thread: ThreadId, what: &str, place: Option<&Frame>, out: &mut String) {
        let width = self.width();
        let lines = wrap(what, width).into_iter().map(|line| (Ink::Bad, line));
        let lines = lines.chain(place.into_iter().flat_map(|frame| self.at(frame))).collect();
        self.turn(thread, out);
        self.row("***", thread, &Cell { lines }, out);
        out.push('\n');
    }

    /// `file:line function`, the file without its directories where the column is narrow.
    fn place(&self, frame: &Frame, width: usize) -> String {
        let function = crate::text::short(frame.function.as_deref().unwrap_or(""));
        let (Some(file), Some(line)) = (&frame.file, frame.line) else {
            return format!("{} {function}", frame.module).trim().to_string();
        };
        let name = self.sources.name(file);
        let short = name.rsplit('/').next().unwrap_or(name);
        let full = format!("{name}:{line} {function}");
        let text = if length(&full) <= width { full } else { format!("{short}:{line} {function}") };
        text.trim_end().to_string()
    }

    fn source(&self, frame: &Frame) -> Option<String> {
        self.sources.line(frame.file.as_ref()?, frame.line?)
    }

    /// Of one column.
    fn width(&self) -> usize {
        match self.layout {
            Layout::Columns { width } | Layout::List { width } => width,
        }
    }

    /// Of all.
    fn wide(&self) -> usize {
        match self.layout {
            Layout::Columns { width } => GUTTER + self.threads.len() * (width + 1) - 1,
            Layout::List { width } => GUTTER + INDENT + width,
        }
    }

    fn row(&self, number: &str, thread: ThreadId, cell: &Cell, out: &mut String) {
        let indent = match self.layout {
            Layout::Columns { width } => self.threads.iter().position(|t| *t == thread).unwrap_or(0) * (width + 1),
            Layout::List { .. } => INDENT,
        };
        for (i, (ink, line)) in cell.lines.iter().enumerate() {
            let number = if i == 0 { number } else { "" };
            let line = self.colour.paint(*ink, line);
            out.push_str(format!("{number:>4}  {:indent$}{line}", "").trim_end());
            out.push('\n');
        }
    }
}

/// The steps that a file's explanation speaks of, and those at which its essential switches and its passing neighbour begin.
fn spoken_of(file: &TraceFile) -> BTreeSet<usize> {
    let small = file.minimisation.iter();
    let essential = |switch: &&Switch| switch.role.is_essential();
    let switches = small.clone().flat_map(|small| small.switches.iter().filter(essential)).map(|switch| switch.step);
    let passing = small.filter_map(|small| small.passing.as_ref()).map(|passing| passing.step);
    file.spoken_of.iter().copied().chain(switches).chain(passing).collect()
}

/// Rounds by where they end.
fn in_order(rounds: &[Round]) -> Vec<&Round> {
    let mut rounds: Vec<&Round> = rounds.iter().collect();
    rounds.sort_by_key(|round| round.until());
    rounds
}

/// The width of a column for each of so many threads, if there is room.
fn room(width: usize, threads: usize) -> Option<usize> {
    let column = (width.saturating_sub(GUTTER) + 1) / threads.max(1);
    column.checked_sub(1).filter(|width| *width >= NARROWEST)
}

/// The steps up to the failure: what follows only ends the program.
fn until_failure(file: &TraceFile) -> &[NamedStep] {
    let failed = file.failed_in.map_or(file.steps.len(), |step| step + 1);
    &file.steps[..failed.min(file.steps.len())]
}

/// Does a thread do nothing before the failure but to start and end?
fn is_idle(file: &TraceFile, ends: &[NamedWait], thread: ThreadId) -> bool {
    let mut own = until_failure(file).iter().filter(|step| step.thread == thread);
    own.all(|step| ["start", "end"].contains(&step.what.as_str())) && ends.iter().all(|end| end.thread != thread)
}

/// The threads of an interleaving, those too that only have a part in its end.
pub(crate) fn columns_of(steps: &[NamedStep], ends: &[NamedWait]) -> Vec<ThreadId> {
    let all = steps.iter().map(|step| step.thread).chain(ends.iter().map(|end| end.thread));
    all.collect::<BTreeSet<_>>().into_iter().collect()
}

/// How the run ends: who waits, where that is the failure, and who fails.
pub(crate) fn ends(file: &TraceFile) -> Vec<NamedWait> {
    let failing = file.outcome.thread;
    let waits = match file.kind.as_str() {
        "deadlock" => return file.blocked.clone(),
        "livelock" => file.blocked.iter().filter(|wait| wait.thread != failing).cloned().collect(),
        _ => Vec::new(),
    };
    let place = file.location.iter().cloned().collect();
    let failure = NamedWait { thread: failing, what: format!("{}!", file.kind), stack: place };
    waits.into_iter().chain((failing.index() < file.threads.len()).then_some(failure)).collect()
}

/// What an access changed: the object, and what was and is there.
fn change(access: &NamedAccess) -> Option<(&str, &str, &str)> {
    let (before, after) = (access.before.as_deref()?, access.after.as_deref()?);
    (before != after).then_some((&access.object, before, after))
}

/// ` (is 1)`, ` (1 -> 2)`, or nothing: as a step has the values of what it does first.
fn values(access: &NamedAccess) -> String {
    match (&access.before, &access.after) {
        (Some(before), Some(after)) if before != after => format!(" ({before} -> {after})"),
        (Some(before), _) if access.what != "read" => format!(" (was {before})"),
        (Some(before), _) => format!(" (is {before})"),
        (None, _) => String::new(),
    }
}

/// Does a step bear on what other threads do?
fn matters(step: &NamedStep) -> bool {
    step.accesses.iter().any(|access| access.with.is_some() || change(access).is_some())
}

/// Are these words in a text, and not only as parts of others?
fn says(text: &str, words: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || "_.[+#".contains(c);
    text.match_indices(words)
        .any(|(at, _)| !text[..at].ends_with(is_part) && !text[at + words.len()..].starts_with(is_part))
}
