//! What can be asked of a check, whatever is checked.

use crate::allow::Allowed;
use crate::console::Stream;
use crate::scope::{self, ScopeOptions};
use crate::values::{self, Budget};
use anyhow::{Result, anyhow};
use gabion_deepen::{AfterBug, HappensBefore, Mode, OnRace, RaceThreads, Settings, Waits};
use gabion_native::{Resolved, Scope};
use gabion_search::{Options, Reduction};
use gabion_trace::{Contended, Limits, Plan, PointSet, Program, Tail};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Options of `check`, and of commands that check several programs.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct CheckOptions {
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
    /// A loop that goes round without progress is taken to wait for another thread, as it seems to; without this, it is
    /// searched again with more and more rounds
    #[arg(long, help_heading = "Search")]
    assume_waits: bool,
    /// Also explore waits on condition variables that end without a signal
    #[arg(long, help_heading = "Search")]
    spurious: bool,
    /// Blocks that are not freed at the end, and that nothing points to, are a bug
    #[arg(long, help_heading = "Search")]
    leaks: bool,
    /// Findings of this kind are no bugs, everywhere or in functions of this name; may be repeated
    #[arg(long, value_name = "KIND[@FUNCTION]", help_heading = "Search")]
    pub(crate) allow: Vec<Allowed>,
    /// Statuses with which the program may end (default: 0)
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = crate::allow::status, help_heading = "Search")]
    pub(crate) exit_status: Vec<u8>,
    /// Freed memory is used again at once, the last freed first, so that addresses come back while others still know them
    #[arg(long, help_heading = "Search")]
    recycle: bool,
    /// All threads allocate from one heap: the order in which they do is explored, and addresses depend on it
    #[arg(long, help_heading = "Search")]
    strict_malloc: bool,
    /// Put Rust's standard library under test, as far as it is compiled with the program: operations on channels are no single
    /// steps, and the beginning and end of threads is not trusted
    #[arg(long = "std", help_heading = "Search")]
    inside_std: bool,
    /// Link a Rust program with the standard library as it came with the compiler, though it could be rebuilt
    #[arg(long, help_heading = "Program")]
    pub(crate) prebuilt_std: bool,
    /// Runs to make a failing interleaving small, and to try what is next to it; 0 keeps it as it was found
    #[arg(long, value_name = "N", default_value_t = 2000, help_heading = "Search")]
    minimise_runs: u64,
    /// Go on after the first bug; bugs are told apart by kind, place and stacks
    #[arg(long, help_heading = "Search")]
    pub(crate) keep_going: bool,
    /// Happens-before relation that orders two accesses: pure (every order of the run) or limited (only orders that hold in every run; finds more races, some of them false). It decides which
    /// data races are told and at whose instructions threads are switched (default: pure, but limited for the latter with --mode deepen)
    #[arg(long, value_name = "RELATION", value_parser = values::named(HappensBefore::NAMES), help_heading = "Data races")]
    hb: Option<HappensBefore>,
    /// Data races are told, or are bugs, or nobody looks for them: report, deny, ignore (default: deny for a Rust program
    /// with a rebuilt standard library, else report)
    #[arg(long, value_name = "WHAT", value_parser = values::named(OnRace::NAMES), help_heading = "Data races")]
    pub(crate) races: Option<OnRace>,

    /// An instruction of a data race is a preemption point only in the threads that raced there: smaller state spaces, more
    /// of them
    #[arg(long, help_heading = "Data races")]
    race_threads: bool,

    /// Seed of the random numbers that the program asks for
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = "Search")]
    seed: u64,

    #[command(flatten)]
    pub(crate) scope: ScopeOptions,

    /// Wall-clock time for everything: 30s, 10m, 1h or none
    #[arg(long, value_name = "TIME", default_value = "10m", value_parser = values::budget, help_heading = "Limits")]
    pub(crate) budget: Budget,
    /// So many runs instead of a time, and no more
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), help_heading = "Limits")]
    pub(crate) budget_runs: Option<u64>,
    /// State spaces searched at once (default: as many as there are cores)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256), help_heading = "Search")]
    pub(crate) jobs: Option<u16>,
    /// Keep the campaign in this directory, and go on with it if it is there: after Ctrl-C, a spent budget, a crash
    #[arg(long, value_name = "DIR", help_heading = "Limits")]
    pub(crate) resume: Option<PathBuf>,
    /// How often the campaign is written down. For tests
    #[arg(long, value_name = "TIME", default_value = "2s", value_parser = values::duration, hide = true)]
    keep_every: Duration,
    /// Make no more runs than this, of whatever kind
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), help_heading = "Limits")]
    pub(crate) max_runs: Option<u64>,
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
    pub(crate) watchdog: Duration,

    /// Flags for the compiler, as one word: --cflags "-O2 -Iinclude"
    #[arg(long, value_name = "FLAGS", allow_hyphen_values = true, help_heading = "Program")]
    pub(crate) cflags: Option<String>,
    /// Compiler to use (default: CC or CXX, else gcc, else clang)
    #[arg(long, value_name = "CC", help_heading = "Program")]
    pub(crate) compiler: Option<PathBuf>,
    /// Set a variable in the program's environment; may be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = values::variable, help_heading = "Program")]
    pub(crate) env: Vec<(String, String)>,
    /// File that the program reads as standard input (default: nothing)
    #[arg(long, value_name = "FILE", help_heading = "Program")]
    pub(crate) stdin: Option<PathBuf>,
    /// Directory in which the program runs
    #[arg(long, value_name = "DIR", help_heading = "Program")]
    pub(crate) cwd: Option<PathBuf>,

    /// Where to write the failing interleaving (default: the program's name with .trace, here)
    #[arg(long, value_name = "FILE", value_parser = values::file, help_heading = "Output")]
    pub(crate) trace: Option<PathBuf>,
    /// Write the report as one JSON object; - for standard output
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) json: Option<PathBuf>,
    /// Show every step of a failing interleaving with its place: nothing is folded
    #[arg(long, help_heading = "Output")]
    pub(crate) full: bool,
    /// No progress and no interleaving, only the verdict
    #[arg(short, long, conflicts_with = "verbose", help_heading = "Output")]
    pub(crate) quiet: bool,
    /// Say how the program was run
    #[arg(short, long, help_heading = "Output")]
    pub(crate) verbose: bool,
}

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

impl CheckOptions {
    /// What makes no sense together.
    pub(crate) fn validate(&self) -> Result<()> {
        if self.preempt.is_some() && self.mode() != Mode::Single {
            return Err(anyhow!("--preempt names one state space: leave out --mode, or take --mode single"));
        }
        if self.reduction == Some(Reduction::Optimal) && (self.bound.is_some() || self.icb) {
            // Its sleeping events assume that their subtrees were explored whole, which a bound would cut.
            return Err(anyhow!("--reduction optimal does not work with --bound or --icb; leave it out, or take dpor"));
        }
        Ok(())
    }

    /// Flags for the compiler of a program, as traces keep them.
    pub(crate) fn words_of_cflags(&self, program: &Path) -> Result<Vec<String>> {
        let mut words = match &self.cflags {
            Some(flags) => shlex::split(flags).ok_or_else(|| anyhow!("--cflags: a quote is not closed: {flags}"))?,
            None => Vec::new(),
        };
        if self.prebuilt_std && program.extension().is_some_and(|ending| ending == "rs") {
            words.push("--prebuilt-std".to_owned()); // `gabion rustc` takes it too
        }
        Ok(words)
    }

    fn mode(&self) -> Mode {
        self.mode.unwrap_or(if self.preempt.is_some() { Mode::Single } else { Mode::Deepen })
    }

    /// Workers beside the first.
    pub(crate) fn helpers(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        self.jobs.map_or_else(cores, usize::from) - 1
    }

    pub(crate) fn settings(
        &self,
        program: Program,
        scope: &Scope,
        resolved: Resolved,
        interrupt: Arc<AtomicBool>,
        progress_every: Duration,
    ) -> Settings {
        let accesses = self.max_accesses.unwrap_or(Limits::default().accesses);
        let limits = Limits { steps: self.max_steps, memory: self.max_memory, accesses, doublings: 0 };
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
                inside_std: self.inside_std,
                leaks: self.leaks,
                tail: if self.good_samaritan { Tail::Default } else { Tail::Fair },
                ..Plan::default()
            },
            program,
            search: self.options(),
            budget: self.time(),
            budget_runs: self.budget_runs,
            resume: self.resume.clone(),
            keep_every: self.keep_every,
            is_low: gabion_deepen::is_low,
            max_runs: self.max_runs,
            after_bug: if self.keep_going { AfterBug::KeepGoing } else { AfterBug::Stop },
            allowed: Vec::new(),
            minimise_runs: self.minimise_runs,
            on_race: self.races.unwrap_or(OnRace::Report),
            waits: if self.assume_waits { Waits::Assumed } else { Waits::Doubted },
            race_threads: if self.race_threads { RaceThreads::Racing } else { RaceThreads::All },
            relation: self.hb.unwrap_or(HappensBefore::Pure),
            // Whatever looks racy is worth a state space of its own; a space that only grows gets what races for sure.
            steering: self.hb.unwrap_or(match self.mode() {
                Mode::Deepen => HappensBefore::Limited,
                Mode::Maximal | Mode::Single => HappensBefore::Pure,
            }),
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

    pub(crate) fn verbosity(&self) -> Verbosity {
        match (self.quiet, self.verbose) {
            (true, _) => Verbosity::Quiet,
            (_, true) => Verbosity::Verbose,
            _ => Verbosity::Normal,
        }
    }

    /// The wall-clock budget, unless it is one of runs.
    pub(crate) fn time(&self) -> Option<Duration> {
        self.budget.0.filter(|_| self.budget_runs.is_none())
    }

    /// Everything is to be told.
    pub(crate) fn is_verbose(&self) -> bool {
        self.verbose
    }

    /// Where text for people goes.
    pub(crate) fn stream(&self) -> Stream {
        if self.json.as_deref() == Some(Path::new("-")) { Stream::Err } else { Stream::Out }
    }
}
