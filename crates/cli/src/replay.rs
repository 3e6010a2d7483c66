//! `gabion replay`.

use crate::console::{complain, note, say, sources};
use crate::exit::Exit;
use crate::{interrupt, program, show, values};
use anyhow::{Context, Result, bail};
use gabion_deepen::{Happened, Input, Named, Replayed, replay};
use gabion_native::{Debugger, Native};
use gabion_report::{grouped, visible, without_others};
use gabion_trace::{Contended, Frame, Plan, Program, Recording, TraceFile};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Run one recorded interleaving again, in a fresh process.
///
/// The program is built again if it was a source file. Exit status: 1 if the bug shows again, 0 if not, 2 if the
/// program did not follow the recording.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  gabion replay counter.trace\n  gabion replay counter.trace --times 1000\n  gabion replay counter.trace --gdb"
)]
pub(crate) struct Replay {
    /// A file that `gabion check` wrote
    file: PathBuf,
    /// Repeat it, and require that every run is the same
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    times: u64,
    /// Run it under gdb: it stops at the start, with commands `gabion next-switch`, `gabion to-failure`, `gabion threads`
    #[arg(long, conflicts_with = "times")]
    gdb: bool,
    /// Further arguments for gdb
    #[arg(last = true, requires = "gdb", value_name = "GDB ARGS")]
    gdb_args: Vec<OsString>,
    /// A step that takes longer in wall-clock time counts as endless
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = values::duration)]
    watchdog: Duration,
}

impl Replay {
    pub(crate) fn run(self) -> Exit {
        self.replay().unwrap_or_else(|error| {
            complain(&format!("{error:#}"));
            Exit::Error
        })
    }

    fn replay(&self) -> Result<Exit> {
        let file = show::read(&self.file)?;
        let (stdin, input) = self.standard_input(&file.program)?;
        let mut program = Program { path: self.locate(&file.program), stdin, ..file.program.clone() };
        settle_here(&mut program);
        let program = program::known_as(program, &file.program.path);
        let executable = program::prepare(&program).context("the recorded program cannot be run")?;
        let mut launch = executable.launch(&program)?;
        launch.watchdog = self.watchdog;
        launch.interrupt = interrupt::flag();
        let mut native = Native::start(launch)?;
        let mut file = file;
        name_as_now(&mut file, &program.path);
        let changed = native.program_hash() != file.program.hash;
        if changed {
            refuse_another(&native, &file, &program.path)?;
            note(&format!("gabion: {} is not what it was when it was recorded; trying\n", program.path.display()));
            move_variables(&mut native, &mut file);
        }
        if self.gdb {
            // What gdb shows are the lines of now, so what is said beside them must be too.
            let again = if changed { None } else { replay(&mut native, &file, 1, input).ok() };
            let named = again.and_then(|result| result.named);
            tell_renamed(named.as_ref(), &program.path);
            return self.debug(&native, &file, changed, named);
        }
        let result = replay(&mut native, &file, self.times, input)?;
        tell_renamed(result.named.as_ref(), &program.path);
        if !result.output.is_empty() {
            say("The program printed:\n");
            result.output.lines().take(1000).for_each(|line| say(&format!("  | {}\n", visible(line))));
        }
        Ok(verdict(&result, &file, if changed { "the changed program" } else { "the program with this input" }))
    }

    fn debug(&self, native: &Native, file: &TraceFile, changed: bool, named: Option<Named>) -> Result<Exit> {
        let plan = Plan { program: 0, fresh: true, recording: Recording::Hash, watchdog: false, ..file.plan.clone() };
        let recorded = || format!("{}: {}", file.kind, file.message.trim());
        let bug = named.as_ref().map_or_else(recorded, |named| named.bug.words.clone());
        let bug = visible(&sources().shorten(&bug));
        let debugger = Debugger {
            program: "gdb".into(),
            args: self.gdb_args.clone(),
            bug,
            changed,
            ending: file.outcome.ending as u8,
            threads: named.map_or_else(|| file.threads.clone(), |named| named.threads),
        };
        interrupt::leave_to_debugger();
        let status = native.debug(&plan, &debugger)?;
        anyhow::ensure!(status.success(), "gdb ended with {status}");
        Ok(Exit::Passed)
    }

    /// What the program reads: as it was named, or else beside the trace. That it is another one now is said.
    fn standard_input(&self, program: &Program) -> Result<(Option<PathBuf>, Input)> {
        let Some(recorded) = &program.stdin else { return Ok((None, Input::AsRecorded)) };
        let beside = self.file.parent().zip(recorded.file_name()).map(|(dir, name)| dir.join(name));
        let path = [Some(recorded.clone()), beside].into_iter().flatten().find(|path| path.exists());
        let Some(path) = path else {
            bail!(
                "the program's recorded standard input is missing: {}; put it there, or beside the trace",
                recorded.display()
            );
        };
        if program.input.is_none() || program::input(&path) == program.input {
            return Ok((Some(path), Input::AsRecorded));
        }
        let shown = path.display();
        note(&format!(
            "gabion: {shown}, the program's standard input, is not what it was when it was recorded; trying\n"
        ));
        Ok((Some(path), Input::Other))
    }

    /// The program as it was named, or else beside the trace, or else where it was when it was recorded.
    fn locate(&self, program: &Program) -> PathBuf {
        let path = &program.path;
        let beside = self.file.parent().map(|dir| dir.join(path));
        let named = path.file_name().and_then(|name| Some(self.file.parent()?.join(name)));
        let then = program.surroundings.as_ref().map(|then| then.directory.join(path));
        let mut places = [Some(path.clone()), beside, then, named].into_iter().flatten();
        places.find(|place| place.exists()).unwrap_or_else(|| path.clone())
    }
}

/// Has the program run here if the directory in which it ran is gone, and says so.
fn settle_here(program: &mut Program) {
    let here = std::env::current_dir().unwrap_or_default();
    let then = program.cwd.clone().or_else(|| program.surroundings.as_ref().map(|then| then.directory.clone()));
    let Some(then) = then.filter(|then| !then.is_dir()) else { return };
    note(&format!(
        "gabion: {} is no directory here: the program, which ran in it when it was recorded, runs in {} now\n",
        then.display(),
        here.display()
    ));
    program.cwd = Some(here);
}

/// Names the sources of a recording as they are found now: they may have been moved since, with the program's.
fn name_as_now(file: &mut TraceFile, path: &Path) {
    let is_it = |name: &PathBuf| name.is_absolute() && name.file_name() == path.file_name();
    let place = |frame: &Frame| frame.file.as_ref().map(PathBuf::from).filter(is_it);
    let mut frames = file.location.iter().chain(file.steps.iter().flat_map(|step| &step.stack));
    let then = frames.find_map(place).and_then(|name| name.parent().map(|dir| format!("{}/", dir.display())));
    let now = path.canonicalize().ok().and_then(|path| path.parent().map(|dir| format!("{}/", dir.display())));
    let (Some(then), Some(now)) = (then, now) else { return };
    let moved = |name: &String| name.strip_prefix(&then).map(|rest| format!("{now}{rest}"));
    file.message = file.message.replace(&then, &now);
    for frame in file.location.iter_mut().chain(file.steps.iter_mut().flat_map(|step| &mut step.stack)) {
        frame.file = frame.file.as_ref().map(|name| moved(name).unwrap_or_else(|| name.clone()));
    }
}

/// A program without a single function that the recording names is not that program, rebuilt or not.
fn refuse_another(native: &Native, file: &TraceFile, path: &Path) -> Result<()> {
    let frames = file.steps.iter().flat_map(|step| &step.stack).filter(|frame| !frame.is_library());
    let mut names: Vec<&str> = frames.filter_map(|frame| frame.function.as_deref()).collect();
    names.retain(|name| !["main", ""].contains(name));
    names.sort_unstable();
    names.dedup();
    if !names.is_empty() && native.functions_of(&names).is_empty() {
        let shown = path.display();
        bail!("{shown} is another program than the one that was recorded: it has no function {}", names.join(", "));
    }
    Ok(())
}

/// Says that the program is not what it was to who reads it, though its code is.
fn tell_renamed(named: Option<&Named>, path: &Path) {
    if named.is_some_and(|named| named.renamed) {
        note(&format!(
            "gabion: {} was built anew since it was recorded: its code is the same, lines and names are as they are now\n",
            path.display()
        ));
    }
}

/// Memory at which threads meet, where it is in a program that was built anew.
fn move_variables(native: &mut Native, file: &mut TraceFile) {
    let mut moved: Vec<Contended> = Vec::new();
    for memory in &file.plan.contended {
        let named = file.variables.iter().filter(|(from, ..)| from == &memory.from);
        let now = named.filter_map(|(_, name, offset)| Some(native.symbols().address(name)? + offset));
        let now = now.map(|at| at / WORD * WORD);
        let before = moved.len();
        moved.extend(now.map(|from| Contended { from, to: from.saturating_add(memory.to - memory.from) }));
        if moved.len() == before {
            moved.push(*memory);
        }
    }
    moved.sort_unstable();
    moved.dedup_by(|next, last| {
        let joined = next.from <= last.to;
        last.to = if joined { last.to.max(next.to) } else { last.to };
        joined
    });
    file.plan.contended = moved;
}

/// Contended memory begins at a multiple of this.
const WORD: u64 = 8;

/// `what` is not as it was recorded, if anything is not.
fn verdict(result: &gabion_deepen::Replay, file: &TraceFile, what: &str) -> Exit {
    let times = match result.runs {
        1 => String::new(),
        n => format!(", {} times out of {}", grouped(n), grouped(n)),
    };
    match &result.replayed {
        Replayed::Again => {
            let bug = result.named.as_ref().map_or_else(|| recorded(file), |named| told(&named.bug));
            say(&format!("The bug shows again{times}: {bug}\n"));
            Exit::Bug
        }
        Replayed::AgainChanged(now) => {
            let what = what.replacen("the changed", "a changed", 1);
            say(&format!("The bug shows again{times}, in {what}: {}\n", told(now)));
            Exit::Bug
        }
        Replayed::Otherwise(now) if now.fails => {
            say(&format!("{} fails in another way{times}: {}\n", what.replacen("the ", "The ", 1), told(now)));
            Exit::Bug
        }
        Replayed::Otherwise(now) => {
            say(&format!("The bug does not show{times}: {}\n", told(now)));
            Exit::Passed
        }
        Replayed::Misfit { left, nearest, again } => {
            let near = match (again, nearest.fails) {
                (true, _) => format!("the bug still shows: {}", told(nearest)),
                (_, true) => format!("it fails in another way: {}", told(nearest)),
                (_, false) => format!("the bug does not show: {}", told(nearest)),
            };
            let left = sources().shorten(left);
            say(&format!("The recorded interleaving no longer fits {what} {left}\n"));
            say(&format!("As near to it as possible, {near}\n"));
            if *again { Exit::Bug } else { Exit::Error }
        }
        Replayed::Diverged(what) => {
            complain(&format!("the replay diverged: {}", sources().shorten(what)));
            Exit::Error
        }
    }
}

/// What was recorded, where the run that was made has no words of its own.
fn recorded(file: &TraceFile) -> String {
    let place = file.location.as_ref().and_then(|frame| frame.file.as_ref().zip(frame.line));
    let place = place.map(|(name, line)| format!("{name}:{line}"));
    words(&format!("{}: {}", file.kind, file.message.trim()), place.as_deref())
}

/// How a run ended.
fn told(now: &Happened) -> String {
    words(&now.words, now.location.as_deref())
}

/// What is said of a bug, with its place unless that is in it: before who else took part, who have places of their own.
fn words(said: &str, place: Option<&str>) -> String {
    let (said, sources) = (visible(&sources().shorten(said)), sources());
    let (own, others) = without_others(&said);
    match place.map(|place| sources.name(place)).filter(|place| !own.contains(place)) {
        Some(place) => format!("{own} at {place}{others}"),
        None => said.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn a_bug_has_its_place_before_those_of_others() {
        let check = |said: &str, place: &str, expected: &str| assert_eq!(words(said, Some(place)), expected);
        check("abort: the program called abort", "a.c:3", "abort: the program called abort at a.c:3");
        check("assertion: a.c:3: n == 2", "a.c:3", "assertion: a.c:3: n == 2");
        let (twice, at) = ("double-free: a block is freed twice", "; freed by T0 (main) at a.c:3");
        check(&format!("{twice}{at}"), "a.c:3", &format!("{twice} at a.c:3{at}"));
    }
}
