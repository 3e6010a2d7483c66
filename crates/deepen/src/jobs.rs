//! From what an episode shows to jobs: seeds, races, completion (thesis §4.2; algorithms 3 and 4).

use crate::campaign::{Campaign, Record};
use crate::episode::{Episode, Learnt, Raced, Shown};
use crate::job::{Job, JobId, Rank};
use crate::settings::{AfterBug, CampaignError, Mode, Settings, Waits};
use crate::site::{Lineage, RaceSite, RaceThreads};
use crate::space::{Manner, Space};
use crate::{OnRace, Points, Stop};
use gabion_analysis::{HappensBefore, Race};
use gabion_search::{Options, Reduction};
use gabion_trace::shared::MAX_RACE_POINTS;
use gabion_trace::{Plan, Point, PointSet, Recording, Trace};
use std::collections::BTreeSet;

/// Open jobs from which on races beget none: nobody would come to them, and looking through them takes time.
const MOST_OPEN: usize = 256;

impl Campaign<'_> {
    /// Adds a job, unless it is there; its space begins with what another has learnt.
    pub(crate) fn add(&mut self, points: Points, rank: Rank, small: bool, learnt: &Learnt) -> Option<JobId> {
        let id = self.board.add(points, rank, small)?;
        self.begin(id, learnt);
        Some(id)
    }

    /// Gives a new job its space.
    fn begin(&mut self, id: JobId, learnt: &Learnt) {
        self.pool.add(Space::new(self.template_of(id, learnt), self.manner_of(id)));
        self.records.push(Record::default());
    }

    /// What all plans of a job have in common, with what another has learnt.
    pub(crate) fn template_of(&self, id: JobId, learnt: &Learnt) -> Plan {
        let looks = self.settings.mode != Mode::Single || self.settings.on_race != OnRace::Ignore;
        Plan {
            recording: self.settings.template.recording.max(if looks { Recording::Accesses } else { Recording::Hash }),
            ..self.board.job(id).points.plan(learnt.put_into(self.settings.template.clone()))
        }
    }

    /// The largest job is also searched with few preemptions first, unless all are.
    pub(crate) fn search_by_bound(&mut self, id: JobId) {
        if self.settings.search.bound.is_none() {
            let twin = self.board.add_by_bound(id);
            self.begin(twin, &Learnt::default());
        }
    }

    pub(crate) fn manner_of(&self, id: JobId) -> Manner {
        let asked = self.settings.search;
        let search = if self.board.job(id).by_bound {
            let reduction = if asked.reduction == Reduction::HbCache { asked.reduction } else { Reduction::Dpor };
            Options { reduction, bound: Some(0), icb: true, ..asked }
        } else {
            asked
        };
        // One for the races that are told, one for those that become points, and pure happens-before to know when a space holds everything.
        let Settings { relation: told, steering, on_race, mode, .. } = &self.settings;
        let relations = [HappensBefore::Pure, HappensBefore::Limited].into_iter().filter(|relation| {
            relation == told && *on_race != OnRace::Ignore
                || *mode != Mode::Single && (relation == steering || *relation == HappensBefore::Pure)
        });
        Manner {
            search,
            race_threads: self.settings.race_threads,
            short_first: self.settings.mode == Mode::Deepen && id != JobId(0),
            saves: self.settings.resume.is_some(),
            relations: relations.collect(),
            stop_at_failure: self.settings.after_bug == AfterBug::Stop && self.settings.allowed.is_empty(),
            stop_at_race: self.settings.mode == Mode::Maximal
                || self.settings.on_race == OnRace::Deny && self.settings.after_bug == AfterBug::Stop,
        }
    }

    /// Takes an episode in.
    pub(crate) fn take(&mut self, id: JobId, mut episode: Episode) -> Result<Option<Stop>, CampaignError> {
        if let Some((outcome, sites)) = &episode.unsupported {
            return Err(self.unsupported(outcome, sites));
        }
        let record = &mut self.records[id.0];
        (record.progress, record.facts) = (episode.progress, std::mem::take(&mut episode.facts));
        self.board.unseen |= record.facts.ran_unseen();
        (record.bound, record.shared_stacks) = (episode.bound, !episode.learnt.shared_stacks.is_empty());
        if episode.saved.is_some() {
            record.saved = episode.saved.take();
        }
        record.spent = (record.spent.0 + episode.runs, record.spent.1.saturating_add(episode.cost));
        self.spent = (self.spent.0 + episode.runs, self.spent.1.saturating_add(episode.cost));
        let (runs, all, estimate) = (record.spent.0, record.estimated_runs(), self.estimate(id));
        let job = self.board.job_mut(id);
        (job.runs, job.estimate, job.runs_estimate) = (runs, estimate, all);
        self.seed(id, &episode);
        if let Some((plan, trace)) = episode.sample.take() {
            self.learn_callers(&plan, &trace)?;
        }
        let mut stop = None;
        for shown in &episode.shown {
            let enough = match shown {
                Shown::Raced(raced) => self.raced(id, raced, &episode.learnt)?,
                Shown::Failing(failing) => self.failing(id, failing)?,
            };
            if enough {
                stop = Some(Stop::Bug);
                break;
            }
        }
        if episode.exhausted && stop.is_none() {
            self.exhausted(id, &episode.learnt);
        }
        self.clean_up();
        Ok(stop)
    }

    /// The jobs that are known without a race: a class that the program never uses makes none.
    fn seed(&mut self, id: JobId, episode: &Episode) {
        let passed = self.records[id.0].facts.passed;
        let new = passed.0 & !self.passed.0;
        let deeper = self.board.job(id).points.doublings() > 0; // what is known is known by then
        if self.settings.mode != Mode::Deepen || deeper || new == 0 && self.board.len() > 2 {
            return;
        }
        self.passed = self.passed.union(passed);
        self.add(Points::of(PointSet::VOLUNTARY), Rank::Seed, false, &episode.learnt);
        for class in [Point::Lock, Point::Unlock, Point::Atomic] {
            if new >> class as u16 & 1 == 1 {
                self.add(Points::of(PointSet::VOLUNTARY).with_class(class), Rank::Seed, false, &episode.learnt);
            }
        }
        self.add(Points::of(PointSet::KNOWN), Rank::Seed, false, &episode.learnt);
    }

    /// A run with races: they are told, and beget jobs. True: one is a bug, and that is enough.
    fn raced(&mut self, id: JobId, raced: &Raced, learnt: &Learnt) -> Result<bool, CampaignError> {
        let enough = self.settings.on_race != OnRace::Ignore && self.tell_races(id, raced)?;
        for (relation, race) in &raced.races {
            let sites = self.sites(race, &raced.trace);
            self.records[id.0].pairs.add(*relation, race, &sites);
        }
        match self.settings.mode {
            Mode::Single => {}
            Mode::Maximal => self.enlarge(id, learnt),
            Mode::Deepen => self.beget(id, raced, learnt),
        }
        Ok(enough)
    }

    /// The two sides of a race as points.
    fn sites(&self, race: &Race, trace: &Trace) -> [RaceSite; 2] {
        [race.first, race.second].map(|side| RaceSite {
            pc: side.access.pc,
            thread: match self.settings.race_threads {
                RaceThreads::All => None,
                RaceThreads::Racing => Some(Lineage::of(side.thread, &trace.threads)),
            },
        })
    }

    /// Algorithm 4: jobs that also preempt right before a racing access.
    fn beget(&mut self, id: JobId, raced: &Raced, learnt: &Learnt) {
        let steering = self.settings.steering;
        let candidates = raced.races.iter().filter(|(relation, race)| *relation == steering && !race.recycled);
        for (relation, race) in candidates {
            let sites = self.sites(race, &raced.trace);
            self.pairs.add(*relation, race, &sites);
            if self.board.open().len() > MOST_OPEN {
                continue;
            }
            let both = self.pairs.is_both(*relation, &sites);
            let sets_up = |site: &RaceSite, this: &mut Self| crate::racer::is_set_up(&this.subject.function(site.pc));
            let [first, second] = sites;
            let rank = match both {
                true => Rank::BothOrders,
                false if sets_up(&first, self) || sets_up(&second, self) => Rank::SetUp,
                false => Rank::SingleOrder,
            };
            for site in [Some(first), Some(second).filter(|_| both)].into_iter().flatten().filter(|site| site.pc != 0) {
                for (points, small) in self.board.of_race(id, site) {
                    self.add(points, rank, small, learnt);
                }
            }
        }
    }

    /// Algorithm 3: on with the largest set of points that is known.
    fn enlarge(&mut self, id: JobId, learnt: &Learnt) {
        if let Some(larger) = self.larger(id, self.settings.steering).filter(|larger| !self.board.is_open(larger)) {
            self.board.supersede();
            self.add(larger, Rank::Seed, false, learnt);
        }
    }

    /// A job's points with those that are missing for the sake of races by pure happens-before or by this relation; `None`: none are.
    fn larger(&self, id: JobId, relation: HappensBefore) -> Option<Points> {
        let missing = self.missing(id, relation);
        let points = self.board.job(id).points.clone();
        (!missing.is_empty()).then(|| missing.into_iter().fold(points, Points::with_race))
    }

    /// Racing instructions that a job should have among its points, and has not.
    fn missing(&self, id: JobId, relation: HappensBefore) -> BTreeSet<RaceSite> {
        let Record { pairs, facts, .. } = &self.records[id.0];
        let mut needed = pairs.points(HappensBefore::Pure, facts.early);
        if relation != HappensBefore::Pure {
            needed.extend(pairs.points(relation, facts.early));
        }
        needed.extend(facts.before_failure.iter().map(|pc| RaceSite::from(*pc)));
        let points = &self.board.job(id).points;
        if points.holds(PointSet::EVERYWHERE) {
            needed.clear();
        }
        needed.retain(|site| !points.has_race(site));
        needed
    }

    /// Nothing is left of a job.
    fn exhausted(&mut self, id: JobId, learnt: &Learnt) {
        let Record { facts, bound: (_, bounded), .. } = &self.records[id.0];
        let (whole, bounded) = (facts.cuts.is_empty(), *bounded);
        self.board.end(id, whole, bounded);
        if self.settings.mode == Mode::Single && whole {
            self.explored = Some(id);
            self.deepen_loops(id, learnt);
        }
        let job = self.board.job(id);
        if job.small || self.settings.mode == Mode::Single || !job.points.holds(PointSet::KNOWN) {
            return;
        }
        let fit = job.points.races().count() <= MAX_RACE_POINTS;
        // What holds everything is for pure happens-before to say, whatever chose the points (decision 0013).
        match self.larger(id, HappensBefore::Pure) {
            None if whole && fit && self.total.is_none() => {
                self.explored = Some(id);
                if !self.deepen_loops(id, learnt) {
                    (self.total, self.spent_on_all) = (Some(id), self.spent.1);
                }
            }
            Some(larger) if fit && self.settings.mode == Mode::Deepen => {
                self.add(larger, Rank::BothOrders, false, learnt);
            }
            Some(_) if fit => self.enlarge(id, learnt),
            _ => {}
        }
    }

    /// A job is at its end. If loops in it were guessed to wait, the same is searched with twice as many rounds. False: it is not, because
    /// nothing was guessed, guesses are wanted, or there were rounds enough.
    fn deepen_loops(&mut self, id: JobId, learnt: &Learnt) -> bool {
        let guessed = !self.records[id.0].facts.assumed.is_empty();
        let Job { points, rank, .. } = self.board.job(id);
        let deeper = points.deeper().filter(|_| guessed && self.settings.waits == Waits::Doubted);
        let (Some(deeper), rank) = (deeper, *rank) else { return false };
        if !self.board.unseen {
            self.board.settle(id);
        }
        self.spent_before_deeper = self.spent.1;
        let added = self.add(deeper, rank, false, learnt);
        if let Some(added) = added.filter(|_| self.settings.mode == Mode::Deepen) {
            self.search_by_bound(added);
        }
        true
    }

    /// Spaces that nobody will search again give their memory back. The last to end keeps its run to be confirmed.
    fn clean_up(&mut self) {
        for id in self.board.ended() {
            if Some(id) != self.total && Some(id) != self.current {
                self.pool.forget(id);
            }
        }
    }
}
