//! The JSON object, schema 1. Scripts depend on every name here: fields are added, never renamed or removed.

use crate::Related;
use crate::visible::in_json;
use gabion_trace::Caveat;
use serde::{Deserialize, Serialize};

/// Number of the schema.
pub const SCHEMA: u32 = 2;

/// The verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Every interleaving of this program on this input passes.
    Verified,
    /// Everything asked for passes; that was less than every interleaving.
    Complete,
    /// At least one bug.
    Bug,
    /// A budget or limit came first.
    Partial,
    /// The program could not be built or run, or the command was wrong.
    Error,
}

impl Verdict {
    /// The word.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Verified => "verified",
            Verdict::Complete => "complete",
            Verdict::Bug => "bug",
            Verdict::Partial => "partial",
            Verdict::Error => "error",
        }
    }
}

/// A size not known yet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// Runs in all.
    pub runs: f64,
    /// Seconds in all.
    pub seconds: f64,
}

/// What the verdict is about.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Scope {
    /// Classes of preemption points.
    pub preempt: Vec<String>,
    /// Bound on preemptions.
    pub bound: Option<u32>,
    /// Every run with at most so many preemptions was made, in the largest state space of which that is known.
    #[serde(default)]
    pub completed_bound: Option<u32>,
    /// Always `sc`: sequentially consistent.
    pub memory_model: String,
    /// What the verdict does not claim.
    pub caveats: Vec<Caveat>,
}

/// How far a state space was searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SpaceStatus {
    /// To its end.
    Complete,
    /// To a bug.
    Bug,
    /// To a budget or limit.
    Suspended,
    /// Given up.
    Cancelled,
    /// Not begun.
    Pending,
}

/// One state space.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StateSpace {
    /// Its preemption points.
    pub preempt: Vec<String>,
    /// How far it was searched.
    pub status: SpaceStatus,
    /// It is searched with few preemptions first, beside another with the same points.
    #[serde(default)]
    pub by_bound: bool,
    /// Every run with at most so many preemptions was made.
    #[serde(default)]
    pub completed_bound: Option<u32>,
    /// Everything in it was explored, and it is no part of a larger one of which that is true.
    #[serde(default)]
    pub largest: bool,
    /// The state space, by its place in the list from 0, that holds whatever this one does and was explored instead.
    #[serde(default)]
    pub covered_by: Option<usize>,
    /// So many times the rounds are doubled after which a loop is taken to wait.
    #[serde(default)]
    pub doublings: u8,
    /// Complete runs.
    pub runs: u64,
    /// Runs in all: as many as were made if it is complete, else an estimate, if there is one.
    pub estimate: Option<f64>,
}

/// What is known of the preemption points on a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LineState {
    /// A data race there was not tested.
    Untested,
    /// Points there were sealed off.
    Sealed,
    /// Not all was explored that may happen if a thread is stopped there.
    Open,
    /// All of it was, with switches only at the points of some state space that has those of the line.
    Covered,
}

/// A line of the program's source with preemption points, or with a data race that was not tested.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Line {
    /// `file:line`.
    pub at: String,
    /// Classes of its points.
    pub points: Vec<String>,
    /// What is known of them.
    pub states: Vec<LineState>,
}

/// A bug.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bug {
    /// Its kind.
    pub kind: String,
    /// Judged by a limit rather than seen.
    pub heuristic: bool,
    /// In words.
    pub message: String,
    /// Threads that took part.
    pub threads: usize,
    /// Preemptions of the run.
    pub preemptions: usize,
    /// The steps, from 1, before which a thread was left in a loop that only looks as if it waited: no preemptions.
    #[serde(default)]
    pub left_in_loops: Vec<usize>,
    /// Steps of the run.
    pub steps: u64,
    /// Path of the trace file.
    pub trace: Option<String>,
    /// `file:line`.
    pub location: Option<String>,
    /// Who waits for what at the end, who holds that, and where it was taken.
    #[serde(default)]
    pub waiting: Vec<String>,
    /// How it came about, a sentence each.
    #[serde(default)]
    pub explanation: Vec<String>,
    /// What the program was given where it asked for a choice.
    #[serde(default)]
    pub choices: Vec<Choice>,
    /// How the interleaving was made small, if it was.
    #[serde(default)]
    pub minimised: Option<Minimised>,
    /// The bug and its interleaving as a terminal shows them. No part of the object.
    #[serde(skip)]
    pub shown: String,
    /// Other places that took part. No part of the object.
    #[serde(skip)]
    pub related: Vec<Related>,
}

/// What the program was given where it asked for a choice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Choice {
    /// The step, from 1.
    pub step: usize,
    /// Who asked.
    pub thread: String,
    /// What it was given.
    pub value: u32,
    /// Among how many, from 0, if that is known.
    pub of: Option<u32>,
}

/// How an interleaving was made small.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Minimised {
    /// Runs made for it.
    pub runs: u64,
    /// Runs that were allowed.
    pub allowed: u64,
    /// All runs with fewer preemptions were made, and none shows this bug.
    pub fewest: bool,
    /// All runs with at most as many preemptions and fewer switches were made, and none shows it.
    #[serde(default)]
    pub fewest_switches: bool,
    /// The same of those with at most as many of both and fewer threads.
    #[serde(default)]
    pub fewest_threads: bool,
    /// Loops were taken to wait in these runs: with more rounds of them there may be smaller ones.
    #[serde(default)]
    pub assumed_waits: bool,
    /// Switches of the interleaving.
    #[serde(default)]
    pub switches: usize,
    /// Preemptions and steps of the interleaving that was found first.
    pub found: (usize, usize),
    /// The first steps after the essential switches, from 1.
    pub essential: Vec<usize>,
}

/// In which orders two racing accesses were seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RaceOrder {
    /// One.
    Single,
    /// Both.
    Both,
}

/// What became of a race.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RaceStatus {
    /// Leads to a bug.
    Buggy,
    /// Does not.
    Benign,
    /// Cannot happen.
    False,
    /// Not known.
    Untested,
    /// The memory was allocated anew in between.
    Realloc,
}

/// A data race.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Race {
    /// `file:line`.
    pub first: String,
    /// `file:line`.
    pub second: String,
    /// Orders seen.
    pub order: RaceOrder,
    /// What became of it.
    pub status: RaceStatus,
    /// What they race for.
    pub object: String,
    /// The two accesses in words, with their threads.
    pub accesses: [String; 2],
    /// Who called whom, innermost first, for each: `file:line in function`.
    pub stacks: [Vec<String>; 2],
    /// Seen in the very first run.
    pub first_run: bool,
    /// Which memory orders would have ordered the two, if that is all that is missing.
    #[serde(default)]
    pub would_order: Option<String>,
    /// A failure is explained by one of the two.
    #[serde(default)]
    pub takes_part: bool,
}

/// The report of one test among several.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Test {
    /// Its name.
    pub name: String,
    /// Its report.
    #[serde(flatten)]
    pub report: Report,
}

/// The whole object.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// [`SCHEMA`].
    pub schema: u32,
    /// The verdict.
    pub verdict: Verdict,
    /// Runs of the search, over all state spaces: the sum of the four below.
    pub runs: u64,
    /// Those that reached an end of the program's own.
    pub complete_runs: u64,
    /// Those that the reduction cut short.
    pub blocked_runs: u64,
    /// Those that a limit cut.
    pub cut_runs: u64,
    /// Those whose search began again.
    pub abandoned_runs: u64,
    /// Wall-clock time.
    pub elapsed_s: f64,
    /// Of that, time to make interleavings small.
    #[serde(default)]
    pub minimise_s: f64,
    /// Rate.
    pub runs_per_s: f64,
    /// Size of everything, if estimated.
    pub estimate: Option<Estimate>,
    /// What the verdict is about.
    pub scope: Scope,
    /// The state spaces.
    pub state_spaces: Vec<StateSpace>,
    /// The bugs.
    pub bugs: Vec<Bug>,
    /// The data races: all, or of very many those that matter first.
    pub races: Vec<Race>,
    /// How many there are to be told, those between the same lines for the same object counted once.
    #[serde(default)]
    pub races_total: u64,
    /// How many pairs of instructions are no data races: they have one order only, or the memory was another one.
    #[serde(default)]
    pub races_untold: u64,
    /// The program's lines with preemption points.
    #[serde(default)]
    pub lines: Vec<Line>,
    /// Several tests in one go.
    pub tests: Vec<Test>,
    /// What went wrong.
    pub error: Option<String>,
    /// An output that was asked for could not be written. No part of the object.
    #[serde(skip)]
    pub unwritten: bool,
}

impl Report {
    /// The report of a command that came to nothing.
    pub fn of_error(error: impl Into<String>) -> Self {
        Report {
            schema: SCHEMA,
            verdict: Verdict::Error,
            runs: 0,
            complete_runs: 0,
            blocked_runs: 0,
            cut_runs: 0,
            abandoned_runs: 0,
            elapsed_s: 0.0,
            minimise_s: 0.0,
            runs_per_s: 0.0,
            estimate: None,
            scope: Scope {
                preempt: Vec::new(),
                bound: None,
                completed_bound: None,
                memory_model: "sc".into(),
                caveats: Vec::new(),
            },
            state_spaces: Vec::new(),
            bugs: Vec::new(),
            races: Vec::new(),
            races_total: 0,
            races_untold: 0,
            lines: Vec::new(),
            tests: Vec::new(),
            error: Some(error.into()),
            unwritten: false,
        }
    }

    /// The object as one line.
    pub fn to_json(&self) -> String {
        in_json(serde_json::to_string(self).expect("internal error: a report is always valid JSON"))
    }
}
