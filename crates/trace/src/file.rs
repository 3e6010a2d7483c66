//! The trace file: one line that names format and version, then one JSON object.
//!
//! It is self-contained: the plan that replays the run, which program it is for, how the run ended, and the steps with
//! names, so that it can be shown where the program is gone.

use crate::{Ending, FORMAT_VERSION, Outcome, Plan, Point, ThreadId};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Version of the file; the plan within has [`FORMAT_VERSION`].
pub const TRACE_FILE_VERSION: u32 = 1;

const HEADING: &str = "gabion trace ";

/// A trace file that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TraceFileError {
    /// Another kind of file.
    #[error("this is not a gabion trace")]
    NotATrace,
    /// From a version that we cannot read.
    #[error("the trace has format version {0}; this gabion reads version {TRACE_FILE_VERSION}")]
    Version(String),
    /// Cut off or changed.
    #[error("the trace is damaged: {0}")]
    Damaged(String),
}

/// The program a trace is for, and how it was built and run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    /// The file given on the command line: a source or an executable.
    pub path: PathBuf,
    /// Hash of the executable's bytes.
    pub hash: u64,
    /// Compiler, if one was chosen.
    pub compiler: Option<PathBuf>,
    /// Flags it was compiled with.
    pub cflags: Vec<String>,
    /// Its arguments.
    pub args: Vec<String>,
    /// Variables added to its environment.
    pub env: Vec<(String, String)>,
    /// What it reads.
    pub stdin: Option<PathBuf>,
    /// Where it runs.
    pub cwd: Option<PathBuf>,
}

/// A place in the source.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Frame {
    /// Function, if known.
    pub function: Option<String>,
    /// File, if known.
    pub file: Option<String>,
    /// Line, if known.
    pub line: Option<u32>,
    /// Module and offset, always known.
    pub module: String,
}

/// Where compilers, systems and the builders of Rust's standard library keep what is not the program's own.
const LIBRARIES: [&str; 4] = ["/usr/include/", "/usr/lib/", "/rustc/", "/rust/deps/"];
/// Headers of the C++ library wherever they are, ours that stand before them, and the sources of Rust's standard library.
const ELSEWHERE: [&str; 2] = ["/include/c++/", "/lib/rustlib/src/rust/library/"];

impl Frame {
    /// Is it code of a library, in a header for example?
    pub fn is_library(&self) -> bool {
        let of_library = |file: &str| {
            LIBRARIES.iter().any(|at| file.starts_with(at)) || ELSEWHERE.iter().any(|at| file.contains(at))
        };
        self.file.as_deref().is_some_and(of_library) || self.function.as_deref() == Some("__rust_try")
    }

    /// Of a stack, the innermost frame of the program's own code, or at least one with a line.
    pub fn place(stack: &[Frame]) -> Option<&Frame> {
        let known = |f: &&Frame| f.file.is_some() && f.line.is_some();
        stack.iter().filter(known).find(|f| !f.is_library()).or(stack.iter().find(known)).or(stack.first())
    }
}

/// A step in words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedStep {
    /// Who.
    pub thread: ThreadId,
    /// The thread's own number of the step.
    pub number: u32,
    /// The point before it.
    pub point: Point,
    /// How many threads could have run.
    pub enabled: usize,
    /// What it did first, in words: `lock m`, `write counter (4 bytes)`.
    pub what: String,
    /// Where, innermost first (inlined functions are frames of their own).
    pub stack: Vec<Frame>,
}

/// What somebody did that explains the failure, in words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedWitness {
    /// `allocated by T1 (worker)`.
    pub what: String,
    /// Where, innermost first.
    pub stack: Vec<Frame>,
}

/// Everything in a trace file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TraceFile {
    /// Version of plan and trace.
    pub format: u32,
    /// The program.
    pub program: Program,
    /// The plan that replays the run: all choices, no tail.
    pub plan: Plan,
    /// Hash of the run's trace, for telling whether a replay was the same.
    pub hash: u64,
    /// How it ended.
    pub outcome: Outcome,
    /// The finding's kind, as in reports.
    pub kind: String,
    /// What failed, in words.
    pub message: String,
    /// Where.
    pub location: Option<Frame>,
    /// Stack of the failing thread, innermost first.
    pub stack: Vec<Frame>,
    /// What else explains it: who allocated and freed a block, who took a lock.
    pub witnesses: Vec<NamedWitness>,
    /// What orders two accesses, if the finding is a race.
    #[serde(default)]
    pub relation: Option<String>,
    /// Who waited for what at the end, in words.
    pub waiting: Vec<String>,
    /// Name of each thread's start function.
    pub threads: Vec<String>,
    /// The steps.
    pub steps: Vec<NamedStep>,
    /// Switches away from a thread that could have gone on.
    pub preemptions: usize,
    /// What the program printed in this run.
    pub output: String,
}

impl TraceFile {
    /// The file's text.
    pub fn to_text(&self) -> String {
        let body = serde_json::to_string(self).expect("internal error: a trace is always valid JSON");
        format!("{HEADING}{TRACE_FILE_VERSION}\n{body}\n")
    }

    /// Reads a file's text.
    pub fn from_text(text: &str) -> Result<Self, TraceFileError> {
        let (first, body) = text.split_once('\n').ok_or(TraceFileError::NotATrace)?;
        let version = first.strip_prefix(HEADING).ok_or(TraceFileError::NotATrace)?;
        if version != TRACE_FILE_VERSION.to_string() {
            return Err(TraceFileError::Version(version.into()));
        }
        let file: TraceFile = serde_json::from_str(body).map_err(|e| TraceFileError::Damaged(e.to_string()))?;
        if file.format != FORMAT_VERSION {
            return Err(TraceFileError::Version(format!("{version}.{}", file.format)));
        }
        if file.outcome.ending == Ending::Running {
            return Err(TraceFileError::Damaged("the run has no end".into()));
        }
        Ok(file)
    }
}
