//! An interleaving as columns of threads.
//!
//! Steps of one thread between two switches are folded: the first and the last are shown, because a switch is only
//! understood from the steps on both sides of it. With so many threads that columns would be too narrow, each step
//! names its thread instead.

use crate::paint::{Colour, Ink};
use crate::source::Sources;
use crate::text::{cut, length, wrap};
use gabion_trace::{Frame, NamedAccess, NamedStep, NamedWait, ThreadId, TraceFile};
use std::collections::BTreeSet;

/// Width of the step numbers.
const GUTTER: usize = 6;
const NARROWEST: usize = 17;
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
    layout: Layout,
    /// Nothing is folded.
    full: bool,
}

#[derive(Clone, Copy)]
enum Layout {
    /// A column for each thread.
    Columns { width: usize },
    /// One list, each step with its thread.
    List { width: usize },
}

struct Cell {
    lines: Vec<(Ink, String)>,
}

impl<'a> Columns<'a> {
    pub(crate) fn new(file: &'a TraceFile, sources: &'a Sources, colour: Colour, width: usize, full: bool) -> Self {
        let ends = ends(file);
        let threads = columns_of(&file.steps, &ends);
        let count = threads.len().max(1);
        let column = (width.saturating_sub(GUTTER) + 1) / count;
        let layout = match column.checked_sub(1) {
            Some(width) if width >= NARROWEST => Layout::Columns { width },
            _ => Layout::List { width: width.saturating_sub(GUTTER + 6) },
        };
        Columns { file, sources, colour, threads, layout, full }
    }

    /// The whole drawing.
    pub(crate) fn draw(&self) -> String {
        let failed = self.file.failed_in.map_or(self.file.steps.len(), |step| step + 1);
        let (steps, after) = self.file.steps.split_at(failed.min(self.file.steps.len()));
        let mut out = self.heading();
        self.segments(steps, 1, &mut out);
        for end in ends(self.file) {
            let place = Frame::place(&end.stack).or(self.file.location.as_ref());
            self.end(end.thread, &end.what, place, &mut out);
        }
        match after.len() {
            0 => {}
            _ if self.full => self.segments(after, failed + 1, &mut out),
            1 => out.push_str("   ...  1 more step until the program has ended\n\n"),
            n => out.push_str(&format!("   ...  {n} more steps until the program has ended\n\n")),
        }
        out
    }

    /// Steps by what lies between switches, the first of them with this number.
    fn segments(&self, steps: &[NamedStep], mut number: usize, out: &mut String) {
        let segments: Vec<_> = steps.chunk_by(|a, b| a.thread == b.thread).collect();
        for (index, segment) in segments.iter().enumerate() {
            if self.full || index < FIRST || index + LAST >= segments.len() {
                self.segment(segment, number, out);
            } else if index == FIRST {
                let left_out = segments.len() - FIRST - LAST;
                out.push_str(&format!("   ...  {left_out} switches left out\n\n"));
            }
            number += segment.len();
        }
    }

    fn heading(&self) -> String {
        let Layout::Columns { width } = self.layout else { return String::new() };
        let name = |thread: &ThreadId| {
            let title = format!("{thread} {}", self.file.threads.get(thread.index()).map_or("", String::as_str));
            format!("{:width$}", cut(title.trim_end(), width))
        };
        let names: Vec<String> = self.threads.iter().map(name).collect();
        let line = format!("{:GUTTER$}{}", "", names.join(" "));
        format!("{}\n", self.colour.paint(Ink::Heading, line.trim_end()))
    }

    /// The first and the last step in full; those between in a word each. Where they are many, those that conflict with other
    /// threads' or change what these see, and the others are counted.
    fn segment(&self, steps: &[NamedStep], number: usize, out: &mut String) {
        let mut last_place = None;
        let mut folded = 0;
        for (index, step) in steps.iter().enumerate() {
            let label = (number + index).to_string();
            let inner = index > 0 && index + 1 < steps.len() && !self.full;
            if inner && steps.len() > WORDED + 2 && !matters(step) {
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
            let new = place.filter(told).filter(|p| Some(*p) != last_place && !inner);
            self.row(&label, step.thread, &self.cell(step, new), out);
            last_place = new.or(last_place);
        }
        out.push('\n');
    }

    fn cell(&self, step: &NamedStep, place: Option<&Frame>) -> Cell {
        let width = self.width();
        let mut lines: Vec<(Ink, String)> =
            wrap(&step.what, width).into_iter().map(|line| (Ink::Heading, line)).collect();
        if let Some(frame) = place {
            lines.extend(wrap(&self.place(frame, width), width).into_iter().map(|line| (Ink::Warning, line)));
            lines.extend(self.source(frame).map(|text| (Ink::Faint, format!("  {}", cut(&text, width - 2)))));
        }
        for (object, before, after) in step.accesses.iter().filter_map(change) {
            let text = format!("{object}: {before} -> {after}");
            lines.extend(wrap(&text, width).into_iter().map(|line| (Ink::Heading, line)));
        }
        Cell { lines }
    }

    /// How it ends for a thread.
    fn end(&self, thread: ThreadId, what: &str, place: Option<&Frame>, out: &mut String) {
        let width = self.width();
        let lines = wrap(what, width).into_iter().map(|line| (Ink::Bad, line));
        let at = place.iter().flat_map(|f| wrap(&self.place(f, width), width));
        let mut lines: Vec<_> = lines.chain(at.map(|line| (Ink::Warning, line))).collect();
        if let Some(text) = place.and_then(|f| self.source(f)) {
            lines.push((Ink::Faint, format!("  {}", cut(&text, width - 2))));
        }
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

    fn width(&self) -> usize {
        match self.layout {
            Layout::Columns { width } | Layout::List { width } => width,
        }
    }

    fn row(&self, number: &str, thread: ThreadId, cell: &Cell, out: &mut String) {
        let indent = match self.layout {
            Layout::Columns { width } => {
                let column = self.threads.iter().position(|t| *t == thread).unwrap_or(0);
                " ".repeat(column * (width + 1))
            }
            Layout::List { .. } => " ".repeat(6),
        };
        for (i, (ink, line)) in cell.lines.iter().enumerate() {
            let number = if i == 0 { number } else { "" };
            let indent = match self.layout {
                Layout::List { .. } if i == 0 => format!("{:<6}", thread.to_string()),
                _ => indent.clone(),
            };
            let line = self.colour.paint(*ink, line);
            out.push_str(format!("{number:>4}  {indent}{line}").trim_end());
            out.push('\n');
        }
    }
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

/// Does a step bear on what other threads do?
fn matters(step: &NamedStep) -> bool {
    step.accesses.iter().any(|access| access.with.is_some() || change(access).is_some())
}
