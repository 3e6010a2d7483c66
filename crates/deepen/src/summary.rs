//! What a campaign leaves behind.

use crate::campaign::Campaign;
use crate::job::{JobId, Status};
use crate::naming::{Namer, location};
use crate::races::RaceStatus;
use crate::reached::lines;
use crate::settings::Mode;
use crate::verdict::{Claimed, Facts, SpaceSummary};
use crate::{Candidate, HappensBefore, OnRace, Points, Stop, Summary, Verdict};
use gabion_trace::{Address, AssumedWait, Caveat, CaveatKind, Coverage, Frame, NamedRace, Point, Statistics};
use std::collections::BTreeMap;

/// Data races that a file of an interleaving holds at most.
const MOST_RACES: usize = 1_000;

impl Campaign<'_> {
    /// Would a search that ends have met every data race?
    fn finds_every_race(&self) -> bool {
        let settings = &self.settings;
        settings.on_race != OnRace::Ignore
            && settings.relation == HappensBefore::Pure
            && settings.narrowing.race_code.is_empty()
    }

    pub(crate) fn summary(mut self, stop: Stop, error: Option<String>) -> Summary {
        let first = Some(JobId(0)).filter(|_| self.settings.mode == Mode::Single);
        let about = self.total.or(self.explored).or(first);
        let everywhere = self.settings.mode != Mode::Single || self.settings.template.points.has(Point::Everywhere);
        let facts = self.facts(about);
        let bound = about.map_or((None, false), |id| self.records[id.0].bound);
        let claimed = Claimed {
            fewer: Some(self.settings.template.points.names().join(",")).filter(|_| !everywhere),
            bound: bound.0.filter(|_| bound.1),
            races: self.races.len(),
            ordered: stop == Stop::Exhausted && self.finds_every_race() && self.races.len() == 0,
        };
        let caveats = self.named_caveats(&facts);
        let mut caveats = facts.caveats(&self.settings, &claimed, caveats);
        let dropped = self.board.jobs().filter(|(_, job)| job.status == Status::Dropped).count();
        if dropped > 0 && about.is_none() {
            let what = if dropped == 1 { "a state space was".into() } else { format!("{dropped} state spaces were") };
            caveats.push(Caveat::new(CaveatKind::Cut, format!("{what} given up because memory ran low")));
        }
        let accepted = self.accepted(&caveats);
        let verdict = match &error {
            // A confirmed bug stays one, whatever happened afterwards.
            _ if !self.findings.is_empty() => Verdict::Bug,
            Some(_) => Verdict::Error,
            None if about.is_none() => Verdict::Partial,
            None => facts.verdict(stop, &caveats, self.settings.waits, &accepted),
        };
        let limited = caveats.iter().any(|caveat| caveat.kind.limits());
        let everything = stop == Stop::Exhausted && about.is_some() && facts.cuts.is_empty() && !limited;
        let (progress, estimate, elapsed) = (self.progress(), self.whole_estimate(), self.elapsed());
        let spaces = self.spaces();
        let preempt = match about {
            Some(_) if everywhere => vec!["everywhere".to_string()],
            _ => self.largest().map(|id| spaces[id.0].preempt.clone()).unwrap_or_default(),
        };
        let with_bound =
            spaces.iter().filter_map(|space| Some((space.by_bound, space.preempt.len(), space.completed_bound?)));
        let completed_bound = with_bound.max().map(|(_, _, bound)| bound);
        let (board, records, relation) = (&self.board, &self.records, self.settings.relation);
        // What hides interleavings from one space may hide them from all.
        let hides = |caveat: &Caveat| {
            caveat.kind.limits()
                && !matches!(caveat.kind, CaveatKind::FewerPoints | CaveatKind::Cut | CaveatKind::Bound)
        };
        let hidden = caveats.iter().any(hides);
        let tested = |points: &Points, pair: (u64, u64)| {
            let explored = board.jobs().filter(|(_, job)| job.explored && !job.small && !hidden);
            let holds = explored.filter(|(_, job)| points.is_subset(&job.points));
            let orders: Vec<bool> = holds.map(|(id, _)| records[id.0].pairs.is_both_anywhere(relation, pair)).collect();
            (!orders.is_empty()).then(|| orders.contains(&true))
        };
        let findings = &self.findings;
        let explains = |pair| findings.iter().any(|finding| finding.is_explained_by(pair));
        let races = self.races.settle(everything, tested, explains);
        let all = self.total.is_some_and(|id| !self.records[id.0].bound.1 && !self.records[id.0].facts.guessed());
        let namer = &mut Namer::new(self.subject);
        let lines = lines(namer, &self.board, &self.records, &self.callers, &races, all);
        let statistics = Statistics {
            runs: progress.executed(),
            blocked_runs: progress.blocked,
            failing_runs: self.failing_runs,
            state_spaces: spaces.iter().filter(|space| space.runs > 0).count(),
            estimate: estimate.map(|(runs, _)| runs),
        };
        let mut told: Vec<&Candidate> = races.iter().collect();
        told.sort_by_key(|race| (!race.takes_part, race.status != RaceStatus::Buggy)); // a file holds those that matter first
        let told: Vec<NamedRace> = told.into_iter().take(MOST_RACES).map(Candidate::named).collect();
        for finding in &mut self.findings {
            finding.trace.statistics = statistics.clone();
            finding.trace.races.clone_from(&told);
        }
        Summary {
            races,
            lines,
            verdict,
            stop,
            completed_bound,
            progress,
            estimate,
            elapsed,
            preempt,
            spaces,
            bound: if self.settings.mode == Mode::Single { bound.0 } else { self.settings.search.bound },
            caveats,
            findings: self.findings,
            failing_runs: self.failing_runs,
            minimising: self.minimising,
            error,
        }
    }

    /// Runs in all, and how many times the time so far everything takes, as far as is known: what was spent, and what is left
    /// of the job that holds everything or is at work. If that one has made no run yet, of the job with the most points.
    fn whole_estimate(&self) -> Option<(f64, f64)> {
        let begun = |id: &JobId| self.records[id.0].progress.estimated_runs().is_some();
        let lead = &self.records[self.lead().filter(begun).or_else(|| self.largest())?.0];
        let left = lead.progress.estimated_runs()? - lead.progress.executed() as f64;
        let share = lead.spent.1 as f64 / (self.spent.1 as f64).max(1.0);
        let factor = 1.0 + (lead.progress.estimated_factor()? - 1.0) * share;
        Some((self.spent.0 as f64 + left, factor))
    }

    /// The job with the most points.
    fn largest(&self) -> Option<JobId> {
        let begun = self.board.jobs().filter(|(_, job)| job.runs > 0);
        begun.max_by_key(|(id, job)| (job.points.count(), *id)).map(|(id, _)| id)
    }

    /// What the runs of a job have in common, or those of all.
    fn facts(&self, about: Option<JobId>) -> Facts {
        match about {
            Some(id) => self.with_deeper_cuts(id),
            None => self.records.iter().fold(Facts::default(), |mut all, record| {
                all.join(&record.facts);
                all
            }),
        }
    }

    /// What the runs of a job have in common, and runs that were cut where loops go round more often.
    fn with_deeper_cuts(&self, about: JobId) -> Facts {
        let mut facts = self.records[about.0].facts.clone();
        let doublings = self.board.job(about).points.doublings();
        for (id, _) in self.board.jobs().filter(|(_, job)| job.points.doublings() > doublings) {
            facts.join_cuts(&self.records[id.0].facts);
        }
        facts
    }

    fn spaces(&mut self) -> Vec<SpaceSummary> {
        let covered = self.board.covered();
        let mut namer = Namer::new(self.subject);
        let mut spaces = Vec::new();
        for (id, job) in self.board.jobs() {
            let record = &self.records[id.0];
            let runs = record.spent.0;
            // What is left open beside the space that holds everything is in it.
            let total = self.total.filter(|total| job.status.is_open() && *total != id).map(|total| total.0);
            let covered_by = job.covered_by.or(total);
            // Who has come to its end knows.
            let estimate = match job.status {
                _ if covered_by.is_some() => None,
                Status::Complete => Some(runs as f64),
                // Nothing is left but what lies behind the cuts, which nobody knows the size of.
                Status::Cut => None,
                _ => record.estimated_runs(),
            };
            let mut preempt: Vec<String> = job.points.classes().names().into_iter().map(str::to_owned).collect();
            if job.points.races().next().is_some() {
                preempt.retain(|name| name != "voluntary");
            }
            for site in job.points.races() {
                let stack = namer.stack(site.pc, &[]);
                let at = Frame::place(&stack).and_then(location).unwrap_or_else(|| format!("{:#x}", site.pc));
                let by = site.thread.as_ref().map_or(String::new(), |thread| format!(" by {thread}"));
                preempt.push(format!("access {at}{by}"));
            }
            spaces.push(SpaceSummary {
                preempt,
                status: if job.buggy { Status::Bug } else { job.status },
                completed_bound: record.progress.completed_bound,
                by_bound: job.by_bound,
                largest: job.explored && covered.contains(&job.points),
                covered_by,
                doublings: job.points.doublings(),
                runs,
                estimate,
            });
        }
        spaces
    }

    fn named_caveats(&mut self, facts: &Facts) -> Vec<Caveat> {
        let mut caveats = self.subject.caveats();
        if self.records.iter().any(|record| record.shared_stacks) {
            caveats.extend(self.subject.stack_caveats());
        }
        if facts.coverage.has(Coverage::UNMODELLED_CALL) {
            caveats.extend(self.subject.call_caveat());
        }
        caveats.extend(self.allowed_caveats(facts.coverage));
        let mut namer = Namer::new(self.subject);
        // Of a loop that was taken to wait in several ways, the one after the fewest rounds says most.
        let mut waits: BTreeMap<String, u64> = BTreeMap::new();
        for AssumedWait { sites, rounds } in &facts.assumed {
            let sites: Vec<u64> = sites.iter().rev().copied().collect();
            let stack = namer.stack(0, &sites);
            let place = Frame::place(&stack).and_then(location).unwrap_or_default();
            waits.entry(place).and_modify(|fewest| *fewest = (*fewest).min(*rounds)).or_insert(*rounds);
        }
        caveats.extend(waits.into_iter().map(|(place, rounds)| {
            let after = if rounds > 1 { format!(", after {} rounds", rounds - 1) } else { String::new() };
            Caveat::new(CaveatKind::AssumedWait, place + &after)
        }));
        for (lock, function) in &facts.held {
            let place =
                format!("{}, in {}", self.subject.object(Address::object(*lock), 1), self.subject.function(*function));
            caveats.push(Caveat::new(CaveatKind::LockHeldAtEnd, place));
        }
        caveats
    }
}
