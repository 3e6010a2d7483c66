//! A campaign kept in a directory, so that it can go on after it was stopped, whatever stopped it.
//!
//! Everything is in one file that is replaced as a whole: whoever is killed while writing it leaves the one before. It is
//! written every other second, and once more at the end. Where a space cannot be put aside (its last run was cut short, or
//! it is searched without reduction) the place before is kept, or the space begins again.

use crate::Finding;
use crate::campaign::{Campaign, Record};
use crate::job::{Job, JobId};
use crate::needs::Pairs;
use crate::races::Candidate;
use crate::reached::Callers;
use crate::settings::{CampaignError, Settings};
use crate::space::Space;
use gabion_trace::PointSet;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::path::Path;
use std::time::{Duration, Instant};

/// The file in the directory.
const FILE: &str = "campaign.json";
/// Of the file's format.
const VERSION: u32 = 5;
#[derive(Serialize, Deserialize)]
struct Kept<'a> {
    version: u32,
    /// Hash of the program, and everything that was asked for.
    program: u64,
    asked: String,
    jobs: Cow<'a, [Job]>,
    records: Cow<'a, [Record]>,
    pairs: Cow<'a, Pairs>,
    passed: PointSet,
    current: Option<usize>,
    total: Option<usize>,
    spent_on_all: u64,
    spent: (u64, u64),
    seconds: f64,
    failing_runs: u64,
    findings: Cow<'a, [Finding]>,
    races: Cow<'a, [Candidate]>,
    callers: Cow<'a, Callers>,
}

/// What must be the same for a campaign to go on. Budgets and workers need not be.
fn asked(settings: &Settings) -> String {
    let Settings { mode, template, program, narrowing, search, after_bug, on_race, race_threads, relation, .. } =
        settings;
    let input = program.stdin.as_ref().map(|path| gabion_native::hash(&std::fs::read(path).unwrap_or_default()));
    format!(
        "{mode:?} {template:?} {program:?} {input:?} {narrowing:?} {search:?} {after_bug:?} {on_race:?} {race_threads:?} {relation:?}"
    )
}

/// What to do where nothing can be written.
const ELSEWHERE: &str = "name a directory that can be written with --resume";

fn failed(path: &Path, what: &str, error: impl std::fmt::Display) -> CampaignError {
    CampaignError::Resume(format!("cannot {what} {}: {error}", path.display()))
}

fn unwritable(error: std::io::Error) -> String {
    format!("{error}; {ELSEWHERE}")
}

impl Campaign<'_> {
    /// Takes up what is in the directory, if there is something; else begins to keep it there.
    pub(crate) fn take_up(&mut self) -> Result<(), CampaignError> {
        let Some(directory) = self.settings.resume.clone() else { return Ok(()) };
        let path = directory.join(FILE);
        match std::fs::read_to_string(&path) {
            Ok(text) => {
                let kept: Kept<'_> = serde_json::from_str(&text).map_err(|error| failed(&path, "understand", error))?;
                if kept.version != VERSION {
                    return Err(failed(&path, "understand", "it is of another version of gabion"));
                }
                if kept.program != self.subject.program_hash() || kept.asked != asked(&self.settings) {
                    let other =
                        "it is the campaign of another program, or one with other options; name another directory";
                    return Err(failed(&path, "go on with", other));
                }
                self.restore(kept);
                Ok(())
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                std::fs::create_dir_all(&directory).map_err(|error| failed(&directory, "make", unwritable(error)))?;
                self.keep()
            }
            Err(error) => Err(failed(&path, "read", unwritable(error))),
        }
    }

    fn restore(&mut self, kept: Kept<'_>) {
        self.board.set(kept.jobs.into_owned());
        self.records = kept.records.into_owned();
        self.board.unseen |= self.records.iter().any(|record| record.facts.ran_unseen());
        (self.pairs, self.passed) = (kept.pairs.into_owned(), kept.passed);
        (self.current, self.total) = (kept.current.map(JobId), kept.total.map(JobId));
        self.spent_on_all = kept.spent_on_all;
        (self.spent, self.spent_before) = (kept.spent, kept.spent);
        self.elapsed_before = Duration::from_secs_f64(kept.seconds.clamp(0.0, 1e9));
        (self.failing_runs, self.findings) = (kept.failing_runs, kept.findings.into_owned());
        self.races.set(kept.races.into_owned());
        self.callers = kept.callers.into_owned();
        let spaces: Vec<Option<Space>> = (0..self.board.len()).map(|index| self.space_of(JobId(index))).collect();
        self.pool.set(spaces);
        self.uncounted_before = self.uncounted();
    }

    /// The space of a job that was put aside; `None` if nobody will search it again.
    fn space_of(&mut self, id: JobId) -> Option<Space> {
        let search = self.manner_of(id);
        let job = self.board.job(id);
        if !job.status.is_open() {
            return None;
        }
        match &self.records[id.0].saved {
            Some(saved) => Some(Space::restore(saved.clone(), search)),
            None => {
                self.records[id.0] =
                    Record { pairs: std::mem::take(&mut self.records[id.0].pairs), ..Record::default() };
                Some(Space::new(self.template_of(id, &crate::episode::Learnt::default()), search))
            }
        }
    }

    /// Writes the campaign down, if that is asked for and was not done just now.
    pub(crate) fn keep_now_and_then(&mut self) -> Result<(), CampaignError> {
        if self.settings.resume.is_some() && self.kept.elapsed() >= self.settings.keep_every {
            self.keep()
        } else {
            Ok(())
        }
    }

    /// Writes the campaign down, if that is asked for.
    pub(crate) fn keep(&mut self) -> Result<(), CampaignError> {
        let Some(directory) = &self.settings.resume else { return Ok(()) };
        let kept = Kept {
            version: VERSION,
            program: self.subject.program_hash(),
            asked: asked(&self.settings),
            jobs: Cow::Borrowed(self.board.all()),
            records: Cow::Borrowed(&self.records),
            pairs: Cow::Borrowed(&self.pairs),
            passed: self.passed,
            current: self.current.map(|id| id.0),
            total: self.total.map(|id| id.0),
            spent_on_all: self.spent_on_all,
            spent: self.spent,
            seconds: self.elapsed().as_secs_f64(),
            failing_runs: self.failing_runs,
            findings: Cow::Borrowed(&self.findings),
            races: Cow::Borrowed(self.races.all()),
            callers: Cow::Borrowed(&self.callers),
        };
        let (path, new) = (directory.join(FILE), directory.join(format!("{FILE}.new")));
        let text = serde_json::to_string(&kept).expect("internal error: a campaign is always valid JSON");
        std::fs::write(&new, text).map_err(|error| failed(&new, "write", unwritable(error)))?;
        std::fs::rename(&new, &path).map_err(|error| failed(&path, "write", unwritable(error)))?;
        self.kept = Instant::now();
        Ok(())
    }
}
