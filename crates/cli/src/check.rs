//! `gabion check`.

use crate::console::{Stream, complain, note, say};
use crate::exit::Exit;
use crate::live::LiveLine;
use crate::program::{self, Executable};
use crate::scope::{self, ScopeOptions};
use crate::values::{self, Budget};
use crate::{interrupt, summary};
use anyhow::{Result, anyhow};
use gabion_deepen::{AfterBug, Campaign, Finding, HappensBefore, Mode, OnRace, Settings, Stop, Summary};
use gabion_native::{Launch, Native, Resolved, Scope, Stats};
use gabion_report::{Report, grouped};
use gabion_search::{Options, Reduction};
use gabion_trace::{Contended, Limits, Plan, PointSet, Program, RunError, Tail};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Check a program: a .c or .cpp file, or an executable.
///
/// Runs the program again and again, each time with another interleaving of its threads, until one fails, all have
/// passed, or the budget is spent.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Check {
    /// A .c, .cc, .cpp or .cxx file, or an executable (best one built with `gabion cc`)
    program: PathBuf,
    /// Arguments of the program
    #[arg(last = true)]
    args: Vec<String>,

    /// Which state spaces to search: deepen (small ones first, then with more and more preemption points, as data races
    /// show where), maximal (always with all points known), or single (one; default with --preempt)
    #[arg(long, value_name = "MODE", value_parser = values::named(Mode::NAMES), help_heading = "Search")]
    mode: Option<Mode>,
    /// Search one state space: threads may be switched here alone. Separated by commas: everywhere (default of --mode
    /// single), sync (lock, unlock, other and atomic together), lock, unlock, other, atomic, visible, voluntary
    #[arg(long, value_name = "LIST", value_parser = values::points, help_heading = "Search")]
    preempt: Option<PointSet>,
    /// Which interleavings to leave out because another shows the same: none, dpor, optimal (default without a bound)
    /// or hbcache
    #[arg(long, value_name = "HOW", value_parser = values::named(Reduction::NAMES), help_heading = "Search")]
    reduction: Option<Reduction>,
    /// At most this many preemptions in a run; switching from a thread that waits, has ended or yields is free
    #[arg(long, value_name = "N", conflicts_with = "icb", help_heading = "Search")]
    bound: Option<u32>,
    /// Runs with no preemption first, then with one, and so on until nothing is left out
    #[arg(long, help_heading = "Search")]
    icb: bool,
    /// Every access is a point, of memory too that only one thread touches. For tests
    #[arg(long, hide = true)]
    every_access: bool,
    /// A thread that spins without ever giving way while others could run is a bug
    #[arg(long, help_heading = "Search")]
    good_samaritan: bool,
    /// Also explore waits on condition variables that end without a signal
    #[arg(long, help_heading = "Search")]
    spurious: bool,
    /// Blocks that are not freed at the end, and that nothing points to, are a bug
    #[arg(long, help_heading = "Search")]
    leaks: bool,
    /// Freed memory is used again at once, the last freed first, so that addresses come back while others still know them
    #[arg(long, help_heading = "Search")]
    recycle: bool,
    /// All threads allocate from one heap: the order in which they do is explored, and addresses depend on it
    #[arg(long, help_heading = "Search")]
    strict_malloc: bool,
    /// Go on after the first bug; bugs are told apart by kind, place and stacks
    #[arg(long, help_heading = "Search")]
    keep_going: bool,
    /// What orders two accesses: whatever did in a run, or only what always does (finds more, some of it false)
    #[arg(long, value_name = "RELATION", default_value = "pure", value_parser = values::named(HappensBefore::NAMES), help_heading = "Data races")]
    hb: HappensBefore,
    /// Data races are told, or are bugs, or nobody looks for them: report, deny, ignore
    #[arg(long, value_name = "WHAT", default_value = "report", value_parser = values::named(OnRace::NAMES), help_heading = "Data races")]
    races: OnRace,

    /// Seed of the random numbers that the program asks for
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = "Search")]
    seed: u64,

    #[command(flatten)]
    scope: ScopeOptions,

    /// Wall-clock time for everything: 30s, 10m, 1h or none
    #[arg(long, value_name = "TIME", default_value = "10m", value_parser = values::budget, help_heading = "Limits")]
    budget: Budget,
    /// So many runs instead of a time
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), help_heading = "Limits")]
    budget_runs: Option<u64>,
    /// State spaces searched at once (default: as many as there are cores)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256), help_heading = "Search")]
    jobs: Option<u16>,
    /// Keep the campaign in this directory, and go on with it if it is there: after Ctrl-C, a spent budget, a crash
    #[arg(long, value_name = "DIR", help_heading = "Limits")]
    resume: Option<PathBuf>,
    /// How often the campaign is written down. For tests
    #[arg(long, value_name = "TIME", default_value = "2s", value_parser = values::duration, hide = true)]
    keep_every: Duration,
    /// Stop after this many runs
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), help_heading = "Limits")]
    max_runs: Option<u64>,
    /// Cut a run after this many steps
    #[arg(long, value_name = "N", default_value_t = Limits::default().steps, value_parser = clap::value_parser!(u64).range(1..), help_heading = "Limits")]
    max_steps: u64,
    /// A step that makes more accesses than this counts as endless (default: 4,000 times what steps of earlier runs made,
    /// at most 100 million)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), help_heading = "Limits")]
    max_accesses: Option<u64>,
    /// Heap that the program may use
    #[arg(long, value_name = "SIZE", default_value = "1G", value_parser = values::size, help_heading = "Limits")]
    max_memory: u64,
    /// A step that takes longer in wall-clock time counts as endless
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = values::duration, help_heading = "Limits")]
    watchdog: Duration,

    /// Flags for the compiler, as one word: --cflags "-O2 -Iinclude"
    #[arg(long, value_name = "FLAGS", allow_hyphen_values = true, help_heading = "Program")]
    cflags: Option<String>,
    /// Compiler to use (default: CC or CXX, else gcc, else clang)
    #[arg(long, value_name = "CC", help_heading = "Program")]
    compiler: Option<PathBuf>,
    /// Set a variable in the program's environment; may be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = values::variable, help_heading = "Program")]
    env: Vec<(String, String)>,
    /// File that the program reads as standard input (default: nothing)
    #[arg(long, value_name = "FILE", help_heading = "Program")]
    stdin: Option<PathBuf>,
    /// Directory in which the program runs
    #[arg(long, value_name = "DIR", help_heading = "Program")]
    cwd: Option<PathBuf>,

    /// Where to write the failing interleaving (default: the program's name with .trace, here)
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    trace: Option<PathBuf>,
    /// Write the report as one JSON object; - for standard output
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    json: Option<PathBuf>,
    /// No progress and no interleaving, only the verdict
    #[arg(short, long, conflicts_with = "verbose", help_heading = "Output")]
    quiet: bool,
    /// Say how the program was run
    #[arg(short, long, help_heading = "Output")]
    verbose: bool,
}

const EXAMPLES: &str = "\
Examples:
  gabion check counter.c
  gabion check --preempt sync --budget 1m queue.cpp
  gabion check --cflags \"-O2 -DTHREADS=3\" --keep-going stack.c
  gabion check --json - ./server -- --threads 2

Verdicts: verified (every interleaving passes), complete (all that was asked for passes), bug, partial (stopped before
the end), error. Exit status: 0, 0, 1, 3, 2.";

/// How much to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verbosity {
    /// The verdict.
    Quiet,
    /// And progress, and the interleaving of a bug.
    Normal,
    /// And how it was run.
    Verbose,
}

impl Check {
    pub(crate) fn run(self) -> Exit {
        match self.campaign() {
            Ok(exit) => exit,
            Err(error) => {
                let message = format!("{error:#}");
                complain(&message);
                self.write_json(&Report::of_error(message));
                Exit::Error
            }
        }
    }

    fn campaign(&self) -> Result<Exit> {
        if self.preempt.is_some() && self.mode() != Mode::Single {
            return Err(anyhow!("--preempt names one state space: leave out --mode, or take --mode single"));
        }
        if self.reduction == Some(Reduction::Optimal) && (self.bound.is_some() || self.icb) {
            // Its sleeping events assume that their subtrees were explored whole, which a bound would cut.
            return Err(anyhow!("--reduction optimal does not work with --bound or --icb; leave it out, or take dpor"));
        }
        let scope = self.scope.with_config(&self.program)?;
        let program = self.program()?;
        let executable = program::prepare(&program)?;
        let interrupt = interrupt::flag();
        let mut native = self.start(&executable, &program, interrupt.clone())?;
        let live = LiveLine::new(self.verbosity());
        let resolved = native.resolve(&scope)?;
        let settings = self.settings(program.clone(), &scope, resolved, interrupt.clone(), live.every());
        let make = || self.start_again(&executable, &program, &interrupt);
        let campaign = Campaign::new(&mut native, settings).with_helpers(self.helpers(), &make);
        let summary = campaign.run(&mut |now| live.show(now));
        live.clear();
        if self.verbosity() == Verbosity::Verbose {
            note(&how(&native.stats(), &summary));
        }
        Ok(self.tell(&summary))
    }

    fn program(&self) -> Result<Program> {
        let cflags = match &self.cflags {
            Some(flags) => shlex::split(flags).ok_or_else(|| anyhow!("--cflags: a quote is not closed: {flags}"))?,
            None => Vec::new(),
        };
        Ok(Program {
            path: self.program.clone(),
            hash: 0,
            compiler: self.compiler.clone(),
            cflags,
            args: self.args.clone(),
            env: self.env.clone(),
            stdin: self.stdin.clone(),
            cwd: self.cwd.clone(),
        })
    }

    fn start(&self, executable: &Executable, program: &Program, interrupt: Arc<AtomicBool>) -> Result<Native> {
        Ok(Native::start(self.launch(executable, program, interrupt)?)?)
    }

    /// For a worker.
    fn start_again(
        &self,
        executable: &Executable,
        program: &Program,
        interrupt: &Arc<AtomicBool>,
    ) -> Result<Native, RunError> {
        let launch = self.launch(executable, program, interrupt.clone());
        Native::start(launch.map_err(|error| RunError::Start(format!("{error:#}")))?)
    }

    fn launch(&self, executable: &Executable, program: &Program, interrupt: Arc<AtomicBool>) -> Result<Launch> {
        let mut launch = executable.launch(program)?;
        launch.watchdog = self.watchdog;
        launch.interrupt = interrupt;
        Ok(launch)
    }

    fn mode(&self) -> Mode {
        self.mode.unwrap_or(if self.preempt.is_some() { Mode::Single } else { Mode::Deepen })
    }

    /// Workers beside the first.
    fn helpers(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        self.jobs.map_or_else(cores, usize::from) - 1
    }

    fn settings(
        &self,
        program: Program,
        scope: &Scope,
        resolved: Resolved,
        interrupt: Arc<AtomicBool>,
        progress_every: Duration,
    ) -> Settings {
        let accesses = self.max_accesses.unwrap_or(Limits::default().accesses);
        let limits = Limits { steps: self.max_steps, memory: self.max_memory, accesses };
        Settings {
            mode: self.mode(),
            narrowing: scope::narrowing(scope, &resolved),
            template: Plan {
                points: self.preempt.unwrap_or(PointSet::EVERYWHERE),
                seals: resolved.seals,
                trusted: resolved.trusted,
                ignored: resolved.ignored,
                contended: if self.every_access { vec![Contended::ALL] } else { Vec::new() },
                limits,
                seed: self.seed,
                spurious: self.spurious,
                recycle: self.recycle,
                strict_malloc: self.strict_malloc,
                leaks: self.leaks,
                tail: if self.good_samaritan { Tail::Default } else { Tail::Fair },
                ..Plan::default()
            },
            program,
            search: self.options(),
            budget: self.budget.0.filter(|_| self.budget_runs.is_none()),
            budget_runs: self.budget_runs,
            resume: self.resume.clone(),
            keep_every: self.keep_every,
            is_low: gabion_deepen::is_low,
            max_runs: self.max_runs,
            after_bug: if self.keep_going { AfterBug::KeepGoing } else { AfterBug::Stop },
            on_race: self.races,
            relation: self.hb,
            interrupt,
            progress_every,
        }
    }

    /// How the space is searched.
    fn options(&self) -> Options {
        let default = if self.bound.is_some() || self.icb { Reduction::Dpor } else { Reduction::Optimal };
        Options {
            reduction: self.reduction.unwrap_or(default),
            bound: self.bound.or(self.icb.then_some(0)),
            icb: self.icb,
            usual: self.max_accesses.is_none(),
            ..Options::default()
        }
    }

    /// Writes everything that was asked for, and gives the exit status.
    fn tell(&self, summary: &Summary) -> Exit {
        let stream = if self.json.as_deref() == Some(Path::new("-")) { Stream::Err } else { Stream::Out };
        let terminal = stream.terminal();
        let findings = summary.findings.iter().enumerate();
        let traces: Vec<Option<String>> = findings.map(|(index, finding)| self.write_trace(index, finding)).collect();
        let report = summary::report(summary, &traces, &terminal.sources);
        for (index, (finding, path)) in summary.findings.iter().zip(&traces).enumerate() {
            if self.verbosity() == Verbosity::Quiet {
                let bug = &report.bugs[index];
                let place = bug.location.as_deref().map_or(String::new(), |place| format!(" at {place}"));
                let file = path.as_deref().map_or(String::new(), |path| format!(" ({path})"));
                stream.write(&format!("{}{place}: {}{file}\n", bug.kind, bug.message));
            } else {
                stream.write(&format!("{}\n", terminal.bug(&finding.trace, path.as_deref())));
            }
        }
        stream.write(&terminal.verdict(&report, self.stopped_by(summary).as_deref()));
        self.write_json(&report);
        report.verdict.into()
    }

    /// What ended a search that is not over, in words.
    fn stopped_by(&self, summary: &Summary) -> Option<String> {
        match summary.stop {
            Stop::Budget => self.budget.0.map(|time| {
                let budget = gabion_report::seconds(time.as_secs_f64());
                format!("the budget of {budget} is spent ({MORE})")
            }),
            Stop::BudgetRuns => {
                self.budget_runs.map(|n| format!("the budget of {} runs is spent ({MORE})", grouped(n)))
            }
            Stop::MaxRuns => Some("as many runs as were allowed (--max-runs)".into()),
            Stop::Interrupted => Some("interrupted".into()),
            Stop::Exhausted | Stop::Bug | Stop::Failed => None,
        }
    }

    /// Writes a finding's trace file; what cannot be written is said and left out.
    fn write_trace(&self, index: usize, finding: &Finding) -> Option<String> {
        let path = self.trace_path(index);
        match std::fs::write(&path, finding.trace.to_text()) {
            Ok(()) => Some(path.display().to_string()),
            Err(error) => {
                complain(&format!(
                    "cannot write {}: {error}; the interleaving is not kept: name a file that can be written with --trace",
                    path.display()
                ));
                None
            }
        }
    }

    fn trace_path(&self, index: usize) -> PathBuf {
        let path = self.trace.clone().unwrap_or_else(|| {
            let stem = self.program.file_stem().unwrap_or_default().to_string_lossy();
            PathBuf::from(format!("{stem}.trace"))
        });
        if !self.keep_going {
            return path;
        }
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let extension = path.extension().map_or(String::new(), |e| format!(".{}", e.to_string_lossy()));
        path.with_file_name(format!("{stem}-{}{extension}", index + 1))
    }

    fn write_json(&self, report: &Report) {
        let Some(path) = &self.json else { return };
        let text = format!("{}\n", report.to_json());
        if path == Path::new("-") {
            say(&text);
        } else if let Err(error) = std::fs::write(path, text) {
            complain(&format!(
                "cannot write {}: {error}; name a file that can be written with --json, or - for standard output",
                path.display()
            ));
        }
    }

    fn verbosity(&self) -> Verbosity {
        match (self.quiet, self.verbose) {
            (true, _) => Verbosity::Quiet,
            (_, true) => Verbosity::Verbose,
            _ => Verbosity::Normal,
        }
    }
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
