//! The trace file: one line that names format, version, length and checksum, then one JSON object, compressed.
//!
//! It is self-contained: the plan that replays the run, which program it is for, how the run ended, and the steps with
//! names and source lines, so that it can be shown where program and sources are gone. Version 1 was the object as plain
//! text and without much of this; it can be read. Fields are added with a default, so that older files stay readable; what a
//! reader of this version would misunderstand needs a new version.

use crate::rounds::{Round, rounds};
use crate::{
    Ending, FORMAT_VERSION, Frame, Minimisation, NamedRace, NamedStep, NamedWait, NamedWitness, Outcome, Plan, Program,
};
use flate2::Compression;
use flate2::read::{DeflateDecoder, DeflateEncoder};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::Read;

/// Version of the file; the plan within has [`FORMAT_VERSION`].
pub const TRACE_FILE_VERSION: u32 = 2;

const HEADING: &str = "gabion trace ";
/// The first line is no longer than this.
const FIRST_LINE: usize = 100;
/// Nobody wrote an object of more bytes than this.
const LARGEST: u64 = 1 << 30;

/// A trace file that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TraceFileError {
    /// Another kind of file.
    #[error("this is not a gabion trace")]
    NotATrace,
    /// From a version that we cannot read.
    #[error("the trace has format version {0}; this gabion reads versions 1 and {TRACE_FILE_VERSION}")]
    Version(String),
    /// Cut off or changed.
    #[error("the trace is damaged: {0}")]
    Damaged(String),
}

/// Everything in a trace file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TraceFile {
    /// Version of plan and trace.
    pub format: u32,
    /// Version of the gabion that wrote it.
    #[serde(default)]
    pub gabion: String,
    /// The command that found it.
    #[serde(default)]
    pub command: Vec<String>,
    /// The program.
    pub program: Program,
    /// The plan that replays the run: all choices, no tail.
    pub plan: Plan,
    /// What the beginnings of the plan's contended memory are called, for a program in which they have moved: each address with
    /// the variable there and the offset in it.
    #[serde(default)]
    pub variables: Vec<(u64, String, u64)>,
    /// Hash of the run's trace, for telling whether a replay was the same.
    pub hash: u64,
    /// How it ended.
    pub outcome: Outcome,
    /// The step in which it failed, if others followed before the process ended.
    #[serde(default)]
    pub failed_in: Option<usize>,
    /// The finding's kind, as in reports.
    pub kind: String,
    /// What failed, in words.
    pub message: String,
    /// How that came about, a sentence each.
    #[serde(default)]
    pub explanation: Vec<String>,
    /// The steps that these sentences speak of: indices, ascending.
    #[serde(default)]
    pub spoken_of: Vec<usize>,
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
    /// The same for a place at the end of each thread's column.
    #[serde(default)]
    pub blocked: Vec<NamedWait>,
    /// Name of each thread's start function.
    pub threads: Vec<String>,
    /// The steps.
    pub steps: Vec<NamedStep>,
    /// Switches away from a thread that could have gone on.
    pub preemptions: usize,
    /// The steps before which a thread was left in a loop that only looks as if it waited; those are no preemptions.
    #[serde(default)]
    pub left_in_loops: Vec<usize>,
    /// What the program printed in this run.
    pub output: String,
    /// How the interleaving was made small, and what is next to it.
    #[serde(default)]
    pub minimisation: Option<Minimisation>,
    /// Data races of the campaign.
    #[serde(default)]
    pub races: Vec<NamedRace>,
    /// What the campaign did.
    #[serde(default)]
    pub statistics: Statistics,
    /// Lines of the sources that the file mentions, and some around them: by file, then by number.
    #[serde(default)]
    pub sources: BTreeMap<String, BTreeMap<u32, String>>,
}

/// What a campaign did until it was over.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Statistics {
    /// Runs that reached an end of the program's own.
    pub runs: u64,
    /// Runs cut short by the reduction.
    pub blocked_runs: u64,
    /// Runs that failed.
    pub failing_runs: u64,
    /// State spaces that were begun.
    pub state_spaces: usize,
    /// Runs in all, as estimated.
    pub estimate: Option<f64>,
}

impl TraceFile {
    /// Steps that another thread made than the one before.
    pub fn switches(&self) -> usize {
        self.steps.windows(2).filter(|pair| pair[0].thread != pair[1].thread).count()
    }

    /// What threads do again and again, if that is the failure.
    pub fn rounds(&self) -> Vec<Round> {
        if self.kind == "livelock" { rounds(&self.steps, self.outcome.thread) } else { Vec::new() }
    }

    /// The file's bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let object = serde_json::to_vec(self).expect("internal error: a trace is always valid JSON");
        let mut body = Vec::new();
        DeflateEncoder::new(&*object, Compression::default())
            .read_to_end(&mut body)
            .expect("internal error: memory can always be read");
        let mut bytes = heading(&body).into_bytes();
        bytes.append(&mut body);
        bytes
    }

    /// Does a file with these bytes have a checksum, by which damage is noticed? Version 1 had none.
    pub fn has_checksum(bytes: &[u8]) -> bool {
        !bytes.starts_with(format!("{HEADING}1\n").as_bytes())
    }

    /// Reads a file's bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, TraceFileError> {
        use TraceFileError::{Damaged, NotATrace, Version};
        let end = bytes.iter().take(FIRST_LINE).position(|byte| *byte == b'\n').ok_or(NotATrace)?;
        let first = std::str::from_utf8(&bytes[..=end]).map_err(|_| NotATrace)?;
        let body = &bytes[end + 1..];
        let version = first.strip_prefix(HEADING).ok_or(NotATrace)?.trim_end_matches('\n');
        let file = match version.split(' ').next().unwrap_or_default() {
            "1" if version == "1" => parse(body)?,
            // Every byte counts, those of the first line too.
            "1" | "2" if first != heading(body) => return Err(Damaged("its checksum does not fit".into())),
            "2" => parse(&unpacked(body)?)?,
            other => return Err(Version(other.into())),
        };
        if file.format != FORMAT_VERSION {
            return Err(Version(format!("{version}.{}", file.format)));
        }
        if file.outcome.ending == Ending::Running {
            return Err(Damaged("the run has no end".into()));
        }
        Ok(file)
    }
}

/// The first line of a file with this body.
fn heading(body: &[u8]) -> String {
    format!("{HEADING}{TRACE_FILE_VERSION} {} {:08x}\n", body.len(), crc32fast::hash(body))
}

fn unpacked(body: &[u8]) -> Result<Vec<u8>, TraceFileError> {
    let mut object = Vec::new();
    let read = DeflateDecoder::new(body).take(LARGEST).read_to_end(&mut object);
    read.map_err(|error| TraceFileError::Damaged(error.to_string()))?;
    Ok(object)
}

fn parse(object: &[u8]) -> Result<TraceFile, TraceFileError> {
    serde_json::from_slice(object).map_err(|error| TraceFileError::Damaged(error.to_string()))
}
