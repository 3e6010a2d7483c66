//! From runs to findings: failures, races, what is confirmed before a word is said.

use crate::campaign::Campaign;
use crate::confirm::{confirm, confirm_passing, signature, with_stacks};
use crate::episode::{Failing, Raced};
use crate::finding::{Finding, Kind, Signature};
use crate::job::JobId;
use crate::naming::{Namer, location};
use crate::settings::{AfterBug, CampaignError};
use crate::{OnRace, Stop};
use gabion_analysis::Race;
use gabion_trace::{Ending, Frame, Outcome, Plan, Trace};

/// Distinct bugs after which even `--keep-going` stops: each has a file of its own.
const MAX_FINDINGS: usize = 100;

impl Campaign<'_> {
    pub(crate) fn is_enough(&self) -> bool {
        self.settings.after_bug == AfterBug::Stop || self.findings.len() >= MAX_FINDINGS
    }

    /// Takes the races of a run in that are news to the campaign. True: one counts as a bug, and that is enough.
    pub(crate) fn tell_races(&mut self, id: JobId, raced: &Raced) -> Result<bool, CampaignError> {
        let told = raced.races.iter().filter(|(relation, _)| *relation == self.settings.relation);
        let new: Vec<Race> = told.map(|(_, race)| *race).filter(|race| self.races.is_news(race)).collect();
        if new.is_empty() {
            return Ok(false);
        }
        // Who called whom is not recorded by the search, so the run is repeated.
        let stacks = with_stacks(self.subject, &raced.plan, &raced.trace)?;
        let first_run = raced.first_run
            && self.records.iter().map(|record| record.spent.0).sum::<u64>() == self.records[id.0].spent.0;
        let stacks = stacks.as_ref().unwrap_or(&raced.trace);
        let news =
            self.races.add(&mut Namer::of(self.subject, stacks), &new, stacks, first_run, &self.board.job(id).points);
        if self.settings.on_race != OnRace::Deny || Kind::of(raced.trace.outcome.ending).is_some() {
            return Ok(false);
        }
        let mut denied = false;
        for index in &news {
            let signature = Signature::of_race(self.races.candidate(*index));
            let mut finding = confirm(self.subject, &self.settings.program, &raced.plan, &raced.trace, signature)?;
            finding.tell_race(self.races.candidate(*index), self.settings.relation);
            if self.allows(&finding) {
                continue;
            }
            self.races.deny(*index);
            self.findings.push(finding);
            self.board.found_bug(id);
            denied = true;
        }
        Ok(denied && self.is_enough())
    }

    /// Learns from where a run comes to its points: a library's are told at the program's lines. Some spaces' runs say enough.
    pub(crate) fn learn_callers(&mut self, plan: &Plan, trace: &Trace) -> Result<(), CampaignError> {
        const SPACES: usize = 8;
        let begun = self.records.iter().filter(|record| record.spent.0 > 0).count();
        if begun <= SPACES && trace.outcome.ending == Ending::Passed {
            with_stacks(self.subject, plan, trace)?.iter().for_each(|stacks| self.callers.take(stacks));
        }
        Ok(())
    }

    /// Takes a failing run in. True: that is enough.
    pub(crate) fn failing(&mut self, id: JobId, failing: &Failing) -> Result<bool, CampaignError> {
        let signature = self.signature_of(failing)?;
        if self.bears(&signature) {
            return Ok(false);
        }
        match self.findings.iter().position(|finding| finding.signature == signature) {
            None => {
                let Some(new) = self.new_finding(failing, signature)? else { return Ok(false) };
                match self.findings.iter_mut().find(|known| known.signature == new.signature) {
                    None => self.findings.push(new),
                    Some(known) => known.seen += 1,
                }
            }
            Some(index) if failing.trace.preemptions() < self.findings[index].preemptions => {
                let seen = self.findings[index].seen + 1;
                let better = confirm(self.subject, &self.settings.program, &failing.plan, &failing.trace, signature)?;
                self.findings[index] = Finding { seen, ..better };
            }
            Some(index) => self.findings[index].seen += 1,
        }
        self.failing_runs += 1;
        if self.settings.on_race != OnRace::Ignore {
            self.races.failed(&failing.trace);
        }
        self.board.found_bug(id);
        Ok(self.is_enough())
    }

    /// What tells the run's bug apart. Where the first bug ends the campaign, who called whom is no matter.
    fn signature_of(&mut self, Failing { plan, trace, kind }: &Failing) -> Result<Signature, CampaignError> {
        match self.settings.after_bug {
            AfterBug::Stop if self.settings.allowed.is_empty() => Ok(Signature::of(*kind, trace)),
            AfterBug::Stop | AfterBug::KeepGoing => signature(self.subject, plan, trace, *kind),
        }
    }

    /// What is wrong with a run of which nothing is known yet; of two findings in a row the one that tells more. `None`: it is allowed.
    fn new_finding(&mut self, failing: &Failing, signature: Signature) -> Result<Option<Finding>, CampaignError> {
        let misuse = confirm(self.subject, &self.settings.program, &failing.plan, &failing.trace, signature)?;
        if self.allows(&misuse) {
            return Ok(None);
        }
        let Some(beyond) = self.beyond_the_free(failing)? else { return Ok(Some(misuse)) };
        let signature = self.signature_of(&beyond)?;
        let used = confirm(self.subject, &self.settings.program, &beyond.plan, &beyond.trace, signature)?;
        Ok(Some(if self.allows(&used) { misuse } else { used }))
    }

    /// A search that came to no bug, but held one back, has found that one, however it ended.
    pub(crate) fn take_held(&mut self) -> Result<bool, CampaignError> {
        if !self.findings.is_empty() {
            return Ok(false);
        }
        let held = self.board.open().into_iter().find_map(|id| Some((id, self.pool.take(id)?.take_held()?)));
        match held {
            Some((id, (plan, trace, kind))) => {
                self.failing(id, &Failing { plan, trace, kind })?;
                Ok(!self.findings.is_empty())
            }
            None => Ok(false),
        }
    }

    /// Before `verified` or `complete`, the last run must come out the same in a fresh process.
    pub(crate) fn confirm_last(&mut self, stop: Stop) -> Result<Stop, CampaignError> {
        if stop == Stop::Exhausted && self.findings.is_empty() {
            let last = self.total.or(self.current).and_then(|id| self.pool.take(id)?.take_last());
            if let Some((plan, trace)) = last {
                confirm_passing(self.subject, &plan, &trace)?;
            }
        }
        Ok(stop)
    }

    pub(crate) fn unsupported(&mut self, outcome: &Outcome, sites: &[u64]) -> CampaignError {
        let mut namer = Namer::new(self.subject);
        let stack = namer.stack(outcome.pc, sites);
        let place = Frame::place(&stack).and_then(location);
        let place = place.map_or(String::new(), |place| format!(", called at {place}"));
        CampaignError::Unsupported(format!("{}{place}", outcome.message))
    }
}
