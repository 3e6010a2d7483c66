//! What a campaign is asked to do, and what it says meanwhile.

use crate::{Allow, HappensBefore, Job, Narrowing, OnRace, RaceThreads};
use gabion_search::{Options, Progress, SearchError};
use gabion_trace::{Plan, Program, RunError};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// What to do after a bug.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AfterBug {
    /// Stop.
    Stop,
    /// Look for others.
    KeepGoing,
}

/// Which state spaces to search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Iterative Deepening: small ones first, more points as races show where (thesis chapter 4).
    #[default]
    Deepen,
    /// Always the largest that is known (thesis §4.2.1).
    Maximal,
    /// The one that the template defines.
    Single,
}

impl Mode {
    /// Each with its name on the command line.
    pub const NAMES: &'static [(&'static str, Mode)] =
        &[("deepen", Mode::Deepen), ("maximal", Mode::Maximal), ("single", Mode::Single)];
}

/// What becomes of a loop that is guessed to wait.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Waits {
    /// The guess orders the search: spaces with such loops are searched again with more rounds, until none is guessed.
    #[default]
    Doubted,
    /// The guess is taken to be right.
    Assumed,
}

/// What a campaign is asked to do.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Which state spaces.
    pub mode: Mode,
    /// Everything about a run but its choices. Its points are those of [`Mode::Single`].
    pub template: Plan,
    /// What the template leaves out, in words.
    pub narrowing: Narrowing,
    /// For trace files; the hash is filled in.
    pub program: Program,
    /// How a state space is searched.
    pub search: Options,
    /// Wall-clock time.
    pub budget: Option<Duration>,
    /// Runs of any kind instead.
    pub budget_runs: Option<u64>,
    /// Most runs of any kind, of the whole campaign.
    pub max_runs: Option<u64>,
    /// After a bug.
    pub after_bug: AfterBug,
    /// Findings that are no bugs.
    pub allowed: Vec<Allow>,
    /// Runs to make a finding small; 0: it stays as it was found.
    pub minimise_runs: u64,
    /// What data races mean.
    pub on_race: OnRace,
    /// What becomes of a loop that is guessed to wait.
    pub waits: Waits,
    /// In which threads an instruction of a race is a point.
    pub race_threads: RaceThreads,
    /// What orders two accesses of the data races that are told.
    pub relation: HappensBefore,
    /// The same of those whose instructions become preemption points (thesis §4.5.3: limited finds bugs sooner, pure verifies sooner).
    pub steering: HappensBefore,
    /// Set by anybody who wants the campaign to end soon.
    pub interrupt: Arc<AtomicBool>,
    /// Where the campaign is kept, to go on with later.
    pub resume: Option<PathBuf>,
    /// Time between two writings of it, at least.
    pub keep_every: Duration,
    /// Says whether memory runs low: [`crate::is_low`], but for tests.
    pub is_low: fn() -> bool,
    /// Time between two calls of the progress callback, at least.
    pub progress_every: Duration,
}

/// Where a campaign stands, for whoever watches.
#[derive(Clone, Debug)]
pub struct Live<'a> {
    /// All searches together; the estimates are those of the job that is at work.
    pub progress: Progress,
    /// The jobs.
    pub jobs: Vec<&'a Job>,
    /// The one at work.
    pub current: Option<usize>,
    /// Since the beginning.
    pub elapsed: Duration,
    /// Distinct bugs.
    pub bugs: usize,
    /// Data races.
    pub races: usize,
}

/// Why a campaign cannot give a verdict.
#[derive(Debug, thiserror::Error)]
pub enum CampaignError {
    /// The target.
    #[error(transparent)]
    Run(#[from] RunError),
    /// A run did not follow its plan.
    #[error("{0}\n{NONDETERMINISM}")]
    Search(#[from] SearchError),
    /// The program called what cannot be modelled.
    #[error("not supported: {0}; a test that does without it can be checked")]
    Unsupported(String),
    /// A test framework found no test to run; how it lists those that there are.
    #[error(
        "no test was run: the filter matches none, or there are none; the program itself lists them if it is run with {0}"
    )]
    NothingTested(&'static str),
    /// The campaign cannot be taken up again, or not be kept.
    #[error("{0}")]
    Resume(String),
    /// A run repeated in a fresh process came out differently.
    #[error("a run came out differently when it was repeated in a fresh process ({0})\n{NONDETERMINISM}")]
    Nondeterministic(String),
}

const NONDETERMINISM: &str = "The same choices must always give the same run. Usual causes: the program reads \
    files, the network or /proc; it depends on time or randomness through an instruction or a raw system call; it shares \
    memory with another process; it leaves files behind that change the next run. If it does nothing of the kind, this is a \
    fault of gabion's: please report it.";
