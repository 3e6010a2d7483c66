//! One state space of a campaign: its search, and what its runs show.
//!
//! A space is searched in *episodes*. How long one is depends on the space alone, never on time or on who searches it, so
//! that a campaign comes out the same with any number of workers. What an episode shows is told in an [`Episode`], with
//! the runs to prove it; what it means is for the campaign to say.

use crate::CampaignError;
use crate::episode::{Episode, Failing, Learnt, Raced, Shown};
use crate::evidence::failing_sites;
use crate::finding::Kind;
use crate::site::RaceThreads;
use crate::verdict::Facts;
use gabion_analysis::{Detector, HappensBefore};
use gabion_search::{Observed, Options, Saved, Search};
use gabion_trace::{Ending, Plan, Target, Trace};
use serde::{Deserialize, Serialize};

/// What a batch should cost at most, in operations and accesses: a fraction of a second, so that budgets and interrupts
/// are noticed.
const BATCH_COST: u64 = 10_000_000;
/// Failing runs after which an episode ends: each is kept whole.
const MOST_FAILURES: usize = 16;
/// What a run costs besides what it does, in units of one operation or access.
const RUN_COST: u64 = 200;
/// Runs of an episode that is short.
const FIRST_RUNS: u64 = 50;
/// What the first episode of a space costs, and at most any: about a hundredth of a second, and a twentieth. Each costs
/// up to twice as much as the one before.
const EPISODE_COST: (u64, u64) = (200_000, 1_000_000);

/// How a space is searched.
#[derive(Clone, Debug)]
pub(crate) struct Manner {
    pub(crate) search: Options,
    /// Relations by which races are looked for.
    pub(crate) relations: Vec<HappensBefore>,
    /// Are races told apart by who takes part?
    pub(crate) race_threads: RaceThreads,
    /// An episode ends with its first failing run.
    pub(crate) stop_at_failure: bool,
    /// An episode ends with the first run that shows a race.
    pub(crate) stop_at_race: bool,
    /// Episodes are short at first, and each twice as long as the one before: whatever finds a bug soon is heard soon.
    pub(crate) short_first: bool,
    /// Episodes tell how the search can be taken up again from their end.
    pub(crate) saves: bool,
}

/// A space that was put aside.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct SavedSpace {
    search: Saved,
    last: (Plan, Trace),
    facts: Facts,
    failed: bool,
    spent: (u64, u64),
    episodes: u64,
}

/// How far an episode may go.
pub(crate) struct Allowance<'a> {
    /// Runs.
    pub(crate) runs: u64,
    /// Says that it must end soon.
    pub(crate) stop: &'a dyn Fn() -> bool,
}

/// A state space and how far it is explored.
#[derive(Clone, Debug)]
pub(crate) struct Space {
    search: Search,
    manner: Manner,
    detectors: Vec<Detector>,
    /// First steps that the last run shares with the one that races were last looked for in.
    shared: usize,
    facts: Facts,
    /// The last whole run with its plan, to be confirmed.
    last: Option<Box<(Plan, Trace)>>,
    /// Races are still to be looked for in it.
    unjudged: bool,
    /// A failing run of a space that was begun again. The new one shows it again, with more of what led to it; if it
    /// does not come that far, this is what there is.
    held: Option<(Plan, Trace, Kind)>,
    /// Did a run fail since the space was begun (again)?
    failed: bool,
    /// Runs since then, and what they cost.
    spent: (u64, u64),
    episodes: u64,
    /// A plan that is to be run first.
    waiting: Option<Plan>,
    /// Memory for batches.
    plans: Vec<Plan>,
    traces: Vec<Trace>,
}

impl Space {
    pub(crate) fn new(template: Plan, manner: Manner) -> Self {
        Space {
            search: Search::new(template, manner.search),
            detectors: manner.relations.iter().map(|relation| detector(*relation, manner.race_threads)).collect(),
            manner,
            shared: 0,
            facts: Facts::default(),
            last: None,
            unjudged: false,
            held: None,
            failed: false,
            spent: (0, 0),
            episodes: 0,
            waiting: None,
            plans: Vec::new(),
            traces: Vec::new(),
        }
    }

    /// A space that was put aside. What its races were, it tells again.
    pub(crate) fn restore(saved: SavedSpace, manner: Manner) -> Self {
        let SavedSpace { search, last, facts, failed, spent, episodes } = saved;
        let search = Search::restore(search, &last.1);
        Space {
            search,
            last: Some(Box::new(last)),
            facts,
            failed,
            spent,
            episodes,
            ..Space::new(Plan::default(), manner)
        }
    }

    fn save(&mut self) -> Option<SavedSpace> {
        let last = self.last.as_ref().filter(|_| self.manner.saves)?;
        let search = self.search.save(&last.1)?;
        let (facts, failed, spent, episodes) = (self.facts.clone(), self.failed, self.spent, self.episodes);
        Some(SavedSpace { search, last: (**last).clone(), facts, failed, spent, episodes })
    }

    /// The last whole run, if one is to be confirmed.
    pub(crate) fn take_last(&mut self) -> Option<(Plan, Trace)> {
        self.last.take().map(|last| *last)
    }

    /// A failing run that the space was begun again after, and did not come to again.
    pub(crate) fn take_held(&mut self) -> Option<(Plan, Trace, Kind)> {
        self.held.take().filter(|_| !self.failed)
    }

    /// Searches for a while.
    pub(crate) fn advance(
        &mut self,
        target: &mut dyn Target,
        allowance: &Allowance<'_>,
    ) -> Result<Episode, CampaignError> {
        let (mut plans, mut traces) = (std::mem::take(&mut self.plans), std::mem::take(&mut self.traces));
        let mut episode = Episode::default();
        let enough = (EPISODE_COST.0 << self.episodes.min(32)).min(EPISODE_COST.1);
        let most = if self.manner.short_first { FIRST_RUNS << self.episodes.min(32) } else { u64::MAX };
        let most = most.min(allowance.runs);
        self.episodes += 1;
        while episode.cost < enough && episode.runs < most && !(allowance.stop)() {
            plans.clear();
            let left = most - episode.runs;
            let room = self.room(target.batch()).min(usize::try_from(left).unwrap_or(usize::MAX));
            plans.extend(self.waiting.take().into_iter().chain(std::iter::from_fn(|| self.search.next())).take(room));
            if plans.is_empty() {
                episode.exhausted = self.search.is_exhausted();
                break;
            }
            target.run_beside(&plans, &mut traces, &mut || self.catch_up(&mut episode))?;
            assert_eq!(plans.len(), traces.len(), "internal error: a trace for every plan");
            if self.take(&mut plans, &mut traces, &mut episode)? {
                break;
            }
        }
        (self.plans, self.traces) = (plans, traces);
        self.catch_up(&mut episode);
        episode.saved = self.save();
        episode.sample = self.last.as_deref().filter(|_| self.episodes == 1).cloned();
        if self.waiting.is_none() && !episode.exhausted && episode.unsupported.is_none() {
            // Was that all?
            self.waiting = self.search.next();
            episode.exhausted = self.waiting.is_none() && self.search.is_exhausted();
        }
        if episode.exhausted
            && let Some((plan, trace, kind)) = self.take_held()
        {
            episode.shown.push(Shown::Failing(Failing { plan, trace, kind }));
        }
        (episode.progress, episode.facts) = (self.search.progress(), self.facts.clone());
        episode.learnt = Learnt::of(self.search.template());
        episode.bound = (self.search.bound(), self.search.was_bounded());
        Ok(episode)
    }

    /// How many runs to ask for at once. That orders them, so it depends on what runs cost, never on time.
    fn room(&self, batch: usize) -> usize {
        if self.manner.race_threads == RaceThreads::Racing {
            return 1; // runs that are out together may have one number for different threads
        }
        let (runs, cost) = self.spent;
        (BATCH_COST.saturating_mul(runs) / cost.max(1)).clamp(1, batch.max(1) as u64) as usize
    }

    /// Takes a batch of traces in. True: the episode ends here.
    fn take(
        &mut self,
        plans: &mut Vec<Plan>,
        traces: &mut Vec<Trace>,
        episode: &mut Episode,
    ) -> Result<bool, CampaignError> {
        let (mut whole, mut over, alone) = (None, false, plans.len() == 1);
        for (index, (plan, trace)) in plans.iter().zip(traces.iter()).enumerate() {
            let mut counts = true;
            episode.runs += 1;
            episode.cost = episode.cost.saturating_add(RUN_COST + trace.cost);
            self.facts.take(trace);
            self.spent = (self.spent.0 + 1, self.spent.1.saturating_add(trace.cost));
            let observed = self.search.observe(trace);
            self.shared = self.shared.min(self.search.shared());
            if trace.outcome.ending == Ending::Unsupported {
                episode.unsupported = Some((trace.outcome.clone(), failing_sites(trace).unwrap_or_default().to_vec()));
                return Ok(true);
            }
            match observed? {
                Observed::Explored => whole = Some(index),
                Observed::Blocked => {}
                Observed::Cut => *self.facts.cuts.entry(trace.outcome.ending).or_default() += 1,
                Observed::Restarted => {
                    self.facts.cuts.clear();
                    (self.spent, self.failed) = ((0, 0), false);
                    whole = None;
                    counts = false;
                }
                Observed::Ignored => counts = false,
            }
            let kind = Kind::of(trace.outcome.ending);
            if !counts {
                if let Some(kind) = kind {
                    self.held.get_or_insert_with(|| (plan.clone(), trace.clone(), kind));
                }
                continue;
            }
            self.unjudged = alone && whole.is_some() && kind.is_none() && !self.manner.stop_at_race;
            if !self.unjudged && self.judge(plan, trace, episode) {
                over |= self.manner.stop_at_race;
            }
            if let Some(kind) = kind {
                self.failed = true;
                let (plan, trace) = (plan.clone(), trace.clone());
                episode.shown.push(Shown::Failing(Failing { plan, trace, kind }));
                if self.manner.stop_at_failure {
                    return Ok(true);
                }
                over |= episode.shown.len() >= MOST_FAILURES;
            }
        }
        if let Some(index) = whole {
            // Whatever was kept before goes back: its memory is used again.
            match &mut self.last {
                Some(last) => {
                    std::mem::swap(&mut last.0, &mut plans[index]);
                    std::mem::swap(&mut last.1, &mut traces[index]);
                }
                None => self.last = Some(Box::new((plans.swap_remove(index), traces.swap_remove(index)))),
            }
        }
        Ok(over)
    }

    /// Does what is left to do after the last run, on which the next plan does not depend.
    fn catch_up(&mut self, episode: &mut Episode) {
        self.search.catch_up();
        if std::mem::take(&mut self.unjudged)
            && let Some(last) = self.last.take()
        {
            self.judge(&last.0, &last.1, episode);
            self.last = Some(last);
        }
    }

    /// Notes the points that a run came to, and looks for races. True: there are some that are new to the space, or new in
    /// their order.
    fn judge(&mut self, plan: &Plan, trace: &Trace, episode: &mut Episode) -> bool {
        self.facts.reached.take(trace, self.shared);
        let mut races = Vec::new();
        for (relation, detector) in self.manner.relations.iter().zip(&mut self.detectors) {
            detector.judge(trace, self.shared, |race| races.push((*relation, race)));
        }
        self.shared = usize::MAX;
        if races.is_empty() {
            return false;
        }
        let first_run = self.spent.0 == 1;
        let (plan, trace) = (plan.clone(), trace.clone());
        episode.shown.push(Shown::Raced(Raced { first_run, plan, trace, races }));
        true
    }
}

fn detector(relation: HappensBefore, race_threads: RaceThreads) -> Detector {
    match race_threads {
        RaceThreads::All => Detector::new(relation),
        RaceThreads::Racing => Detector::by_thread(relation),
    }
}
