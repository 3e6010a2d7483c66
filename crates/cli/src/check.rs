//! `gabion check`.

use crate::console::{complain, note, say, sources};
use crate::exit::Exit;
use crate::history::{self, History};
use crate::live::LiveLine;
use crate::options::{CheckOptions, Verbosity};
use crate::outputs::{self, Outputs};
use crate::program;
use crate::{interrupt, summary};
use anyhow::Result;
use gabion_deepen::{Campaign, Finding, OnRace, Stop, Subject, Summary};
use gabion_native::{Native, Stats, surroundings};
use gabion_report::{Colour, Report, Sources, Terminal, bug_page, campaign_page, grouped, visible};
use gabion_trace::{Program, RunError, TraceFile};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Check a program: a .c, .cpp or .rs file, or an executable.
///
/// Runs the program again and again, each time with another interleaving of its threads, until one fails, all have
/// passed, or the budget is spent.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Check {
    /// A .c, .cc, .cpp, .cxx or .rs file, or an executable (best one built with `gabion cc` or `gabion rustc`)
    program: PathBuf,
    /// Arguments of the program
    #[arg(last = true)]
    args: Vec<String>,
    #[command(flatten)]
    options: CheckOptions,
    #[command(flatten)]
    outputs: Outputs,
}

const EXAMPLES: &str = "\
Examples:
  gabion check counter.c
  gabion check --preempt sync --budget 1m queue.cpp
  gabion check --cflags \"-O2 -DTHREADS=3\" --keep-going stack.c
  gabion check --json - ./server -- --threads 2

Verdicts: verified (every interleaving passes), complete (all that was asked for passes), bug, partial (stopped before
the end), error. Exit status: 0, 0, 1, 3, 2.";

impl Check {
    pub(crate) fn run(self) -> Exit {
        let Check { program, args, options, outputs } = self;
        let trace = options.trace.clone().unwrap_or_else(|| {
            let stem = program.file_stem().unwrap_or_default().to_string_lossy();
            PathBuf::from(format!("{stem}.trace"))
        });
        let html = outputs.html.clone();
        let name = program.display().to_string();
        let one = One { program: &program, name, args: &args, options: &options, trace, html };
        let mut report = match one.check() {
            Ok((report, text)) => {
                options.stream().write(&text);
                report
            }
            Err(error) => {
                let message = format!("{error:#}");
                complain(&message);
                Report::of_error(message)
            }
        };
        let json = write_json(&options, &report);
        report.unwritten |= !(outputs.write(&options, &program, &report) && json);
        Exit::of(&report)
    }
}

/// One program to check, and how.
pub(crate) struct One<'a> {
    pub(crate) program: &'a Path,
    /// What it is called on a page that shows no bug.
    pub(crate) name: String,
    pub(crate) args: &'a [String],
    pub(crate) options: &'a CheckOptions,
    /// Where the failing interleaving goes.
    pub(crate) trace: PathBuf,
    /// Where a page goes.
    pub(crate) html: Option<PathBuf>,
}

impl One<'_> {
    /// The report, as an object and as a text.
    pub(crate) fn check(&self) -> Result<(Report, String)> {
        self.options.validate()?;
        let (mut scope, bearing) = self.options.scope.with_config(self.program)?;
        let bearing = bearing.with(&self.options.allow, &self.options.exit_status);
        scope.allow = bearing.functions();
        let mut program = self.program()?;
        let executable = program::prepare(&program)?;
        let surroundings = executable.surroundings(&program.path);
        let name = surroundings.name.clone();
        program.surroundings = Some(surroundings);
        let interrupt = interrupt::flag();
        let deadline = self.options.time().map(|time| Instant::now() + time);
        let launch = |program: &Program| {
            let mut launch = executable.launch(program)?;
            launch.watchdog = self.options.watchdog;
            launch.deadline = deadline;
            launch.interrupt = interrupt.clone();
            anyhow::Ok(launch)
        };
        let mut native = Native::start(launch(&program)?)?;
        // Its libraries may ask for more of the environment.
        let all = surroundings::of(name, native.files());
        if program.surroundings.as_ref() != Some(&all) {
            program.surroundings = Some(all);
            native = Native::start(launch(&program)?)?;
        }
        let live = LiveLine::new(self.options.verbosity());
        let resolved = native.resolve(&scope)?;
        let every = if self.html.is_some() { live.every().min(history::EVERY) } else { live.every() };
        let allowed = bearing.findings(&resolved);
        let mut settings = self.options.settings(program.clone(), &scope, resolved, interrupt.clone(), every);
        settings.allowed = allowed;
        bearing.put_into(&mut settings.template);
        if self.options.races.is_none() && native.has_rebuilt_library() {
            settings.on_race = OnRace::Deny; // in Rust they are errors, and here all that orders accesses is seen
        }
        // For a worker.
        let make = || -> Result<Box<dyn Subject>, RunError> {
            let launch = launch(&program).map_err(|error| RunError::Start(format!("{error:#}")))?;
            Ok(Box::new(Native::start(launch)?))
        };
        let campaign = Campaign::new(&mut native, settings).with_helpers(self.options.helpers(), &make);
        let mut history = History::default();
        let mut shown = Duration::ZERO;
        let summary = campaign.run(&mut |now| {
            if self.html.is_some() {
                history.add(now);
            }
            if every == live.every() || now.elapsed.saturating_sub(shown) >= live.every() {
                shown = now.elapsed;
                live.show(now);
            }
        });
        live.clear();
        if self.options.verbosity() == Verbosity::Verbose {
            note(&how(&native.stats(), &summary));
        }
        let (mut report, text) = self.tell(&summary);
        if let (Some(html), true) = (&self.html, summary.findings.is_empty()) {
            history.end(&summary);
            let stopped = self.stopped_by(&summary);
            let sources = self.options.stream().terminal().sources;
            let page = campaign_page(&self.name, &report, stopped.as_deref(), history.moments(), &sources);
            report.unwritten |= !outputs::write(html, &page, "--html");
        }
        Ok((report, text))
    }

    fn program(&self) -> Result<Program> {
        let options = self.options;
        // The trace may be replayed from elsewhere.
        let stdin = options.stdin.as_ref().map(std::path::absolute).transpose()?;
        Ok(Program {
            path: self.program.to_path_buf(),
            hash: 0,
            compiler: options.compiler.clone(),
            cflags: options.words_of_cflags(self.program)?,
            args: self.args.to_vec(),
            env: options.env.clone(),
            input: stdin.as_deref().and_then(program::input),
            stdin,
            cwd: options.cwd.as_ref().map(std::path::absolute).transpose()?,
            surroundings: None,
        })
    }

    /// Writes the interleavings, and puts everything into words.
    fn tell(&self, summary: &Summary) -> (Report, String) {
        let terminal = Terminal { full: self.options.full, ..self.options.stream().terminal() };
        let findings = summary.findings.iter().enumerate();
        let write = |(index, finding): (usize, &Finding)| self.write_trace(index, finding, &terminal.sources);
        let (traces, pages): (Vec<Option<String>>, Vec<bool>) = findings.map(write).unzip();
        let mut report = summary::report(summary, &traces, &terminal.sources);
        report.unwritten = pages.contains(&false) || traces.contains(&None);
        let plain = Terminal { width: 80, colour: Colour::Off, sources: sources(), full: self.options.full };
        for ((bug, finding), path) in report.bugs.iter_mut().zip(&summary.findings).zip(&traces) {
            bug.shown = plain.bug(&finding.trace, path.as_deref());
        }
        let mut text = String::new();
        for (index, (finding, path)) in summary.findings.iter().zip(&traces).enumerate() {
            if self.options.verbosity() == Verbosity::Quiet {
                let bug = &report.bugs[index];
                let (own, _) = gabion_report::without_others(&bug.message);
                let place = bug.location.as_deref().filter(|place| !own.contains(place));
                let place = place.map_or(String::new(), |place| format!(" at {place}"));
                let file = path.as_deref().map_or(String::new(), |path| format!(" ({path})"));
                text.push_str(&format!("{}{place}: {}{file}\n", bug.kind, visible(&bug.message)));
            } else {
                text.push_str(&format!("{}\n", terminal.bug(&finding.trace, path.as_deref())));
            }
        }
        text.push_str(&terminal.verdict(&report, self.stopped_by(summary).as_deref()));
        (report, text)
    }

    /// What ended a search that is not over, in words.
    fn stopped_by(&self, summary: &Summary) -> Option<String> {
        match summary.stop {
            Stop::Budget => self.options.budget.0.map(|time| {
                let budget = gabion_report::seconds(time.as_secs_f64());
                format!("the budget of {budget} is spent ({MORE})")
            }),
            Stop::BudgetRuns => {
                self.options.budget_runs.map(|n| format!("the budget of {} runs is spent ({MORE})", grouped(n)))
            }
            Stop::MaxRuns => Some("as many runs as were allowed (--max-runs)".into()),
            Stop::Interrupted => Some("interrupted".into()),
            Stop::Exhausted | Stop::Bug | Stop::Failed => None,
        }
    }

    /// Writes a finding's trace file, and its page if that is asked for: the file's path, and whether the page was written. What cannot be
    /// written is said and left out.
    fn write_trace(&self, index: usize, finding: &Finding, sources: &Sources) -> (Option<String>, bool) {
        let path = self.numbered(&self.trace, index);
        let command = std::env::args().collect();
        let file = TraceFile { command, sources: sources.excerpt(&finding.trace), ..finding.trace.clone() };
        let page = self.html.as_ref().is_none_or(|html| {
            let page = bug_page(&file, sources, Some(&path.display().to_string()));
            outputs::write(&self.numbered(html, index), &page, "--html")
        });
        let trace = match std::fs::write(&path, file.to_bytes()) {
            Ok(()) => Some(path.display().to_string()),
            Err(error) => {
                complain(&format!(
                    "cannot write {}: {error}; the interleaving is not kept: name a file that can be written with --trace",
                    path.display()
                ));
                None
            }
        };
        (trace, page)
    }

    /// A name for what belongs to one of several findings. Where one is looked for it has the name that was asked for; a run may
    /// show several (races).
    fn numbered(&self, path: &Path, index: usize) -> PathBuf {
        if index == 0 && !self.options.keep_going {
            return path.to_path_buf();
        }
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let extension = path.extension().map_or(String::new(), |e| format!(".{}", e.to_string_lossy()));
        path.with_file_name(format!("{stem}-{}{extension}", index + 1))
    }
}

/// Writes the report as JSON, if that is asked for. False: it could not be written.
pub(crate) fn write_json(options: &CheckOptions, report: &Report) -> bool {
    let Some(path) = &options.json else { return true };
    let text = format!("{}\n", report.to_json());
    if path == Path::new("-") {
        say(&text);
        return true;
    }
    outputs::write(path, &text, "--json, or - for standard output")
}

const MORE: &str = "more of it covers more; a smaller test, or --trust for code that is not under test, needs less";

/// How the program was run.
fn how(stats: &Stats, summary: &Summary) -> String {
    let reset = match (stats.forks, stats.tracking) {
        (true, _) => "by a process for each run".to_string(),
        (_, true) => format!("in place, {} bytes, written pages tracked", grouped(u64::from(stats.reset_bytes))),
        (_, false) => format!("in place, {} bytes", grouped(u64::from(stats.reset_bytes))),
    };
    format!(
        "gabion: reset {reset}; {} runs made, {} repeated for comparison, {} restarts, {} runs abandoned when a stack \
         proved to be shared\n",
        grouped(stats.runs),
        grouped(stats.repeated),
        grouped(stats.restarts),
        grouped(summary.progress.abandoned)
    )
}
