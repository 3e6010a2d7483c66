//! A campaign kept in a directory, so that it can go on after it was stopped, whatever stopped it.
//!
//! Everything is in one file that is replaced as a whole (`kept.rs`). It is written every other second, and once more at the
//! end. Where a space cannot be put aside (its last run was cut short, or it is searched without reduction) the place before is
//! kept, or the space begins again.

use crate::Finding;
use crate::allow::Borne;
use crate::campaign::{Campaign, Record};
use crate::job::{Job, JobId};
use crate::kept::Keeper;
use crate::needs::Pairs;
use crate::races::Candidate;
use crate::reached::Callers;
use crate::settings::{CampaignError, Settings};
use crate::space::Space;
use gabion_trace::PointSet;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::time::{Duration, Instant};

#[derive(Serialize, Deserialize)]
struct Kept<'a> {
    /// The gabion that kept it: another one may search in another order.
    gabion: Cow<'a, str>,
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
    explored: Option<usize>,
    spent_before_deeper: u64,
    spent: (u64, u64),
    seconds: f64,
    failing_runs: u64,
    findings: Cow<'a, [Finding]>,
    borne: Cow<'a, [Borne]>,
    races: Cow<'a, [Candidate]>,
    callers: Cow<'a, Callers>,
}

/// What must be the same for a campaign to go on. Budgets and workers need not be.
fn asked(settings: &Settings) -> String {
    let Settings {
        mode,
        template,
        program,
        narrowing,
        search,
        after_bug,
        on_race,
        race_threads,
        relation,
        steering,
        allowed,
        waits,
        ..
    } = settings;
    let input = program.stdin.as_ref().map(|path| gabion_native::hash(&std::fs::read(path).unwrap_or_default()));
    format!(
        "{mode:?} {template:?} {program:?} {input:?} {narrowing:?} {search:?} {after_bug:?} {on_race:?} {race_threads:?} {relation:?} {steering:?} {allowed:?} {waits:?}"
    )
}

/// This gabion.
fn version() -> String {
    format!("{} {}", env!("CARGO_PKG_VERSION"), gabion_native::FINGERPRINT)
}

impl Kept<'_> {
    /// Does every number of a job mean one that is there?
    fn is_sound(&self) -> bool {
        let is_job = |index: &usize| *index < self.jobs.len();
        let named = self.jobs.iter().filter_map(|job| job.covered_by);
        !self.jobs.is_empty()
            && self.records.len() == self.jobs.len()
            && self.current.iter().chain(&self.total).all(is_job)
            && named.into_iter().all(|index| is_job(&index))
    }
}

impl Campaign<'_> {
    /// Takes up what is in the directory, if there is something; else begins to keep it there.
    pub(crate) fn take_up(&mut self) -> Result<(), CampaignError> {
        let Some(directory) = &self.settings.resume else { return Ok(()) };
        let keeper = Keeper::new(directory)?;
        let Some(campaign) = keeper.read()? else {
            self.keeper = Some(keeper);
            return self.keep();
        };
        let kept: Kept<'_> = serde_json::from_slice(&campaign).map_err(|error| keeper.damaged(error))?;
        if kept.gabion != version() {
            return Err(keeper.other_version());
        }
        if kept.program != self.subject.program_hash() || kept.asked != asked(&self.settings) {
            let other = "it is the campaign of another program, or one with other options; name another directory";
            return Err(keeper.refuse(other));
        }
        if !kept.is_sound() {
            return Err(keeper.damaged("it names a state space that is not in it"));
        }
        self.keeper = Some(keeper);
        self.restore(kept);
        Ok(())
    }

    fn restore(&mut self, kept: Kept<'_>) {
        self.board.set(kept.jobs.into_owned());
        self.records = kept.records.into_owned();
        self.board.unseen |= self.records.iter().any(|record| record.facts.ran_unseen());
        (self.pairs, self.passed) = (kept.pairs.into_owned(), kept.passed);
        (self.current, self.total) = (kept.current.map(JobId), kept.total.map(JobId));
        (self.spent_on_all, self.spent_before_deeper) = (kept.spent_on_all, kept.spent_before_deeper);
        self.explored = kept.explored.map(JobId);
        (self.spent, self.spent_before) = (kept.spent, kept.spent);
        self.elapsed_before = Duration::from_secs_f64(kept.seconds.clamp(0.0, 1e9));
        (self.failing_runs, self.findings) = (kept.failing_runs, kept.findings.into_owned());
        self.borne = kept.borne.into_owned();
        self.races.set(kept.races.into_owned());
        self.callers = kept.callers.into_owned();
        let spaces: Vec<Option<Space>> = (0..self.board.len()).map(|index| self.space_of(JobId(index))).collect();
        self.pool.set(spaces);
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
                let Record { pairs, spent: (runs, _), .. } = std::mem::take(&mut self.records[id.0]);
                self.records[id.0] = Record { pairs, spent: (runs, 0), ..Record::default() };
                Some(Space::new(self.template_of(id, &crate::episode::Learnt::default()), search))
            }
        }
    }

    /// Writes the campaign down, if that is asked for and was not done just now.
    pub(crate) fn keep_now_and_then(&mut self) -> Result<(), CampaignError> {
        if self.keeper.is_some() && self.kept.elapsed() >= self.settings.keep_every { self.keep() } else { Ok(()) }
    }

    /// Writes the campaign down, if that is asked for.
    pub(crate) fn keep(&mut self) -> Result<(), CampaignError> {
        let Some(keeper) = &self.keeper else { return Ok(()) };
        let kept = Kept {
            gabion: Cow::Owned(version()),
            program: self.subject.program_hash(),
            asked: asked(&self.settings),
            jobs: Cow::Borrowed(self.board.all()),
            records: Cow::Borrowed(&self.records),
            pairs: Cow::Borrowed(&self.pairs),
            passed: self.passed,
            current: self.current.map(|id| id.0),
            total: self.total.map(|id| id.0),
            spent_on_all: self.spent_on_all,
            explored: self.explored.map(|id| id.0),
            spent_before_deeper: self.spent_before_deeper,
            spent: self.spent,
            seconds: self.elapsed().as_secs_f64(),
            failing_runs: self.failing_runs,
            findings: Cow::Borrowed(&self.findings),
            borne: Cow::Borrowed(&self.borne),
            races: Cow::Borrowed(self.races.all()),
            callers: Cow::Borrowed(&self.callers),
        };
        keeper.write(&serde_json::to_string(&kept).expect("internal error: a campaign is always valid JSON"))?;
        self.kept = Instant::now();
        Ok(())
    }
}
