//! What a Rust program said when it panicked: the default hook's words, on standard error.
//!
//! ```text
//! thread 'main' (7) panicked at src/main.rs:11:5:
//! assertion `left == right` failed
//!   left: 1
//!  right: 2
//! note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace
//! ```
//! A panic while another one unwinds, or where nothing may unwind, is followed by one of the library's that says so; a panic of
//! the hook by a line that does. Missed: programs with a hook of their own that says something else.

use gabion_trace::{Role, Step, ThreadId, Trace, Witness};

/// A panic in words, and where it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Panic {
    pub(crate) message: String,
    pub(crate) file: String,
    pub(crate) line: u32,
    /// Which of those that were printed.
    nth: usize,
    /// How many were.
    printed: usize,
}

const PANICKED: &str = " panicked at ";
/// What is left of another thread's panic when a join is unwrapped, or a scope ends.
const PASSED_ON: [&str; 2] = ["Any { .. }", "a scoped thread panicked"];
/// The library's own words where it aborts because of a panic, and ours.
const ABORTS: [(&str, &str); 3] = [
    ("panic in a destructor during cleanup", "panicked in a destructor while another panic was unwinding"),
    ("panic in a function that cannot unwind", "panicked in a function that cannot unwind"),
    ("thread panicked while processing panic. aborting.", "panicked in the panic hook"),
];

impl Panic {
    /// The one that ended the program: the last, or, if that only passes on what a joined thread said, the first that does not.
    pub(crate) fn of(output: &str) -> Option<Panic> {
        let lines: Vec<&str> = output.lines().collect();
        let mut all: Vec<Panic> = (0..lines.len()).filter_map(|at| Panic::at(&lines[at..])).collect();
        // Of the library's own nothing is raised.
        all.retain(|panic| !ABORTS.iter().any(|(theirs, _)| panic.message == format!("panicked: {theirs}")));
        let is_said = |(theirs, _): &&(&str, &str)| lines.iter().any(|line| line.trim() == *theirs);
        if let (Some(last), Some((_, ours))) = (all.last().cloned(), ABORTS.iter().find(is_said)) {
            all.pop();
            let first = all.last().map_or(String::new(), |first| format!("; before that it {}", first.message));
            let message = format!("{}{first}", last.message.replacen("panicked", ours, 1));
            all.push(Panic { message, ..last });
        }
        let passes_on = |panic: &Panic| PASSED_ON.iter().any(|words| panic.message.contains(words));
        let last = all.len().checked_sub(1)?;
        let nth = if passes_on(&all[last]) { all.iter().position(|panic| !passes_on(panic)) } else { None };
        let (nth, printed) = (nth.unwrap_or(last), all.len());
        Some(Panic { nth, printed, ..all[nth].clone() })
    }

    fn at(lines: &[&str]) -> Option<Panic> {
        let line = lines.first()?;
        // Without the thread: as a hook prints it that says nothing else.
        let (thread, place) =
            line.split_once(PANICKED).or_else(|| Some(("thread ", line.strip_prefix(&PANICKED[1..])?)))?;
        let mut parts = place.trim_end_matches(':').rsplitn(3, ':');
        let (_column, line, file) = (parts.next()?, parts.next()?, parts.next()?);
        let words = lines[1..].iter().take_while(|line| {
            let ends =
                ["note: ", "stack backtrace:", "FAILED", &PANICKED[1..]].iter().any(|words| line.starts_with(words));
            !ends && !line.contains(PANICKED) && !line.ends_with(" aborting.")
        });
        let words: Vec<&str> = words.map(|line| line.trim()).filter(|line| !line.is_empty()).collect();
        let line = line.parse().ok().filter(|_| thread.starts_with("thread "))?;
        let message = format!("panicked: {}", words.join(", "));
        Some(Panic { message, file: file.to_owned(), line, nth: 0, printed: 1 })
    }

    /// Who panicked, and in which step; unknown where not every panic was printed, or others were. One that is passed on (by a
    /// scope, by `resume_unwind`) is raised again and not printed again, but never before the first that was printed.
    pub(crate) fn raised<'a>(&self, trace: &'a Trace) -> Option<Raised<'a>> {
        let all: Vec<&Witness> = raised(trace).collect();
        Raised::of(trace, all.get(self.nth).filter(|_| all.len() == self.printed || self.nth == 0)?)
    }
}

/// A panic in a trace.
pub(crate) struct Raised<'a> {
    pub(crate) thread: ThreadId,
    /// An index into the steps.
    pub(crate) step: usize,
    /// Call sites above, outermost first.
    pub(crate) sites: &'a [u64],
}

impl<'a> Raised<'a> {
    /// The last of a run.
    pub(crate) fn last(trace: &'a Trace) -> Option<Raised<'a>> {
        Raised::of(trace, raised(trace).last()?)
    }

    fn of(trace: &'a Trace, witness: &'a Witness) -> Option<Raised<'a>> {
        let own = |step: &Step| step.thread == witness.thread && step.number == witness.size;
        let step = trace.steps.iter().position(own)?;
        Some(Raised { thread: witness.thread, step, sites: &witness.stack })
    }

    /// The step in which the panic began: what the standard library does for it (words, the environment, output) comes before
    /// it is raised, called by the same function, and where it is known by the same call.
    pub(crate) fn began(&self, trace: &Trace, mut is_library: impl FnMut(u64) -> bool) -> usize {
        let own = trace.steps[..=self.step].iter().enumerate().rev().filter(|(_, step)| step.thread == self.thread);
        let mut call = None;
        let raised_by = of_program(self.sites, &mut is_library);
        let mut of_panic = |step: &Step| {
            let pc = step.pending.map_or(0, |pending| pending.pc);
            match of_program(trace.stack(step), &mut is_library).strip_prefix(&*raised_by) {
                Some([]) => is_library(pc),
                Some([site]) => is_library(pc) && call.get_or_insert(*site) == site,
                _ => false,
            }
        };
        let mut own = own.filter(|(_, step)| !of_panic(step));
        own.next().map_or(self.step, |(index, _)| index)
    }
}

/// The program's own call sites. A thread begins in the library, and one that was rebuilt has sites of its own further in.
fn of_program(sites: &[u64], is_library: &mut impl FnMut(u64) -> bool) -> Vec<u64> {
    sites.iter().copied().filter(|site| !is_library(*site)).collect()
}

/// All exceptions and panics of a run, if they were recorded.
pub(crate) fn raised(trace: &Trace) -> impl Iterator<Item = &Witness> {
    trace.witnesses.iter().filter(|witness| witness.role == Role::Raised)
}

#[cfg(test)]
mod tests {
    use super::Panic;

    #[test]
    fn the_cause_is_told() {
        let check = |output: &str, message: &str, file: &str, line: u32| {
            let found = Panic::of(output).expect("a panic");
            assert_eq!((found.message.as_str(), found.file.as_str(), found.line), (message, file, line));
        };
        let one = "thread 'main' (7) panicked at src/a.rs:11:5:\nassertion failed\n  left: 1\nnote: run with\n";
        check(one, "panicked: assertion failed, left: 1", "src/a.rs", 11);
        let passed_on = "thread '<unnamed>' (8) panicked at a.rs:3:1:\nboom\nthread 'main' (7) panicked at a.rs:9:2:\n\
                         called `Result::unwrap()` on an `Err` value: Any { .. }\n";
        check(passed_on, "panicked: boom", "a.rs", 3);
        let two = format!("thread '<unnamed>' (9) panicked at a.rs:2:1:\nfirst\n{passed_on}");
        check(&two, "panicked: first", "a.rs", 2);
        let caught = "thread 'main' (7) panicked at a.rs:3:1:\nboom\nthread 'main' (7) panicked at a.rs:9:2:\nlast\n";
        check(caught, "panicked: last", "a.rs", 9);
        let twice = "thread 'main' (7) panicked at a.rs:3:1:\nonce\nthread 'main' (7) panicked at a.rs:9:2:\nagain\nstack backtrace:\n\
                     thread 'main' (7) panicked at core/src/panicking.rs:233:5:\npanic in a destructor during cleanup\n\
                     thread caused non-unwinding panic. aborting.\n";
        let words = "panicked in a destructor while another panic was unwinding: again; before that it panicked: once";
        check(twice, words, "a.rs", 9);
        let in_hook = "panicked at a.rs:4:2:\nin the hook\nthread panicked while processing panic. aborting.\n";
        check(in_hook, "panicked in the panic hook: in the hook", "a.rs", 4);
        assert_eq!(Panic::of("nothing of the kind"), None);
    }
}
