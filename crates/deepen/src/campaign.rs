//! A campaign: jobs chosen, their episodes taken in, until nothing is left or something says stop.
//!
//! Iterative Deepening as the thesis has it (chapter 4), with one difference: races by limited happens-before beget
//! jobs, but a space is everything there is once its own races by *pure* happens-before are among its points
//! (`docs/decisions/0013-iterative-deepening.md`).

use crate::allow::Borne;
use crate::board::Board;
use crate::episode::Learnt;
use crate::job::{JobId, Rank};
use crate::kept::Keeper;
use crate::needs::Pairs;
use crate::pool::Pool;
use crate::races::Races;
use crate::reached::Callers;
use crate::settings::{AfterBug, CampaignError, Live, Mode, Settings};
use crate::space::{Allowance, SavedSpace};
use crate::verdict::Facts;
use crate::{Finding, Points, Stop, Subject, Summary};
use gabion_search::Progress;
use gabion_trace::{PointSet, RunError};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// What a second is about, in cost of runs. Clocks and budgets have no part in what comes next, so that a campaign makes the same runs wherever
/// it is made and however long it may take; they only end it.
const COST_PER_SECOND: u64 = 20_000_000;
/// The least that a campaign looks ahead; beyond, as much as it has cost so far. A job that seems to need more than twice that is put aside.
const SHORT: u64 = 10 * COST_PER_SECOND;

/// Makes further subjects, for workers.
pub type Helper<'a> = &'a (dyn Fn() -> Result<Box<dyn Subject>, RunError> + Sync);

/// What a campaign knows of a job beside what the board does.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub(crate) struct Record {
    pub(crate) facts: Facts,
    pub(crate) progress: Progress,
    /// Races of its runs.
    pub(crate) pairs: Pairs,
    /// Runs of any kind, and their cost. Where its search began again because the campaign was taken up again, the runs before
    /// that are among them, their cost is not.
    pub(crate) spent: (u64, u64),
    /// The bound, and whether it left something out.
    pub(crate) bound: (Option<u32>, bool),
    /// Threads touch each other's stacks.
    pub(crate) shared_stacks: bool,
    /// How its search can be taken up again.
    pub(crate) saved: Option<SavedSpace>,
}

impl Record {
    /// Runs of any kind that it takes in all, as far as is known: those that were made, and those that seem to be left.
    pub(crate) fn estimated_runs(&self) -> Option<f64> {
        let lost = self.spent.0.saturating_sub(self.progress.executed());
        self.progress.estimated_runs().map(|runs| runs + lost as f64)
    }
}

/// A campaign in progress.
pub struct Campaign<'a> {
    pub(crate) subject: &'a mut dyn Subject,
    pub(crate) settings: Settings,
    helpers: Option<(Helper<'a>, usize)>,
    pub(crate) board: Board,
    pub(crate) records: Vec<Record>,
    pub(crate) pool: Arc<Pool>,
    pub(crate) current: Option<JobId>,
    /// The job that holds every interleaving, once it is complete.
    pub(crate) total: Option<JobId>,
    /// What was spent until then.
    pub(crate) spent_on_all: u64,
    /// The last job that came to its end and holds every interleaving, but for those of later rounds of loops that were guessed to wait.
    pub(crate) explored: Option<JobId>,
    /// What was spent until the search began with more rounds.
    pub(crate) spent_before_deeper: u64,
    /// Races of all jobs, for those to come.
    pub(crate) pairs: Pairs,
    /// Classes of points that runs have passed.
    pub(crate) passed: PointSet,
    pub(crate) findings: Vec<Finding>,
    /// Findings that are no bugs, as runs have shown them.
    pub(crate) borne: Vec<Borne>,
    pub(crate) failing_runs: u64,
    pub(crate) races: Races,
    /// From where runs come to points.
    pub(crate) callers: Callers,
    /// Runs of any kind, and their cost: the definition of a run that limits and reports share (docs/cli.md).
    pub(crate) spent: (u64, u64),
    /// Of that, what was spent before the campaign was taken up again.
    pub(crate) spent_before: (u64, u64),
    pub(crate) started: Instant,
    /// Time before that.
    pub(crate) elapsed_before: Duration,
    /// Time that it took to make findings small.
    pub(crate) minimising: Duration,
    /// Where it is kept, from when it is taken up.
    pub(crate) keeper: Option<Keeper>,
    /// When it was last written down.
    pub(crate) kept: Instant,
    reported: Instant,
}

impl<'a> Campaign<'a> {
    /// Prepares one.
    pub fn new(subject: &'a mut dyn Subject, settings: Settings) -> Self {
        let now = Instant::now();
        let limited = settings.max_runs.is_some() || settings.budget_runs.is_some();
        let unseen = subject.caveats().iter().any(|caveat| caveat.kind.limits());
        let mut campaign = Campaign {
            races: Races::new(settings.relation, settings.narrowing.race_code.clone()),
            subject,
            helpers: None,
            board: Board::default(),
            records: Vec::new(),
            pool: Arc::new(Pool::new(limited)),
            current: None,
            total: None,
            spent_on_all: 0,
            explored: None,
            spent_before_deeper: 0,
            pairs: Pairs::default(),
            passed: PointSet(0),
            findings: Vec::new(),
            borne: Vec::new(),
            failing_runs: 0,
            callers: Callers::default(),
            spent: (0, 0),
            spent_before: (0, 0),
            started: now,
            elapsed_before: Duration::ZERO,
            minimising: Duration::ZERO,
            keeper: None,
            kept: now,
            reported: now,
            settings,
        };
        campaign.board.keep_going = campaign.settings.after_bug == AfterBug::KeepGoing;
        campaign.board.unseen = unseen;
        let (points, rank) = match campaign.settings.mode {
            Mode::Single => (campaign.settings.template.points, Rank::Seed),
            Mode::Maximal => (PointSet::KNOWN, Rank::Seed),
            Mode::Deepen => (PointSet::EVERYWHERE, Rank::Last),
        };
        let first = campaign.add(Points::of(points), rank, false, &Learnt::default());
        if let Some(largest) = first.filter(|_| campaign.settings.mode == Mode::Deepen) {
            campaign.search_by_bound(largest);
        }
        campaign
    }

    /// Lets this many others search as well, each with a subject of its own.
    #[must_use]
    pub fn with_helpers(mut self, helpers: usize, make: Helper<'a>) -> Self {
        self.helpers = Some((make, helpers)).filter(|_| helpers > 0 && self.settings.mode != Mode::Single);
        self
    }

    /// Runs it to its end, whatever that is.
    pub fn run(mut self, watch: &mut dyn FnMut(&Live<'_>)) -> Summary {
        let pool = self.pool.clone();
        let (interrupt, end) = (self.settings.interrupt.clone(), self.settings.budget.map(|b| self.started + b));
        let stop = move || interrupt.load(Ordering::Relaxed) || end.is_some_and(|end| Instant::now() >= end);
        let helpers = self.helpers.take();
        let explored = std::thread::scope(|scope| {
            let _end = pool.ends_with_this(); // however this is left, workers must not wait for ever
            if let Some((make, helpers)) = helpers {
                for _ in 0..helpers {
                    // A worker that cannot start is left out: no thread for it, or no process of the program.
                    let (pool, stop) = (&pool, &stop);
                    let work = move || {
                        let made = catch_unwind(AssertUnwindSafe(make));
                        made.map(|made| made.map(|mut subject| pool.work(&mut *subject, stop)))
                    };
                    drop(std::thread::Builder::new().spawn_scoped(scope, work));
                }
            }
            self.take_up().and_then(|()| self.explore(&stop, watch))
        });
        let explored = explored.and_then(|stop| self.confirm_last(stop));
        let held = self.take_held();
        self.minimise();
        self.contrast();
        let explored = explored.and_then(|stop| self.keep().map(|()| stop));
        let (stop, error) = match explored.and_then(|stop| held.map(|found| if found { Stop::Bug } else { stop })) {
            Ok(stop) => (stop, None),
            Err(CampaignError::Run(RunError::Interrupted)) => (Stop::Interrupted, None),
            Err(CampaignError::Run(RunError::OutOfTime)) => (Stop::Budget, None),
            Err(error) => (Stop::Failed, Some(error.to_string())),
        };
        self.summary(stop, error)
    }

    fn explore(&mut self, stop: &dyn Fn() -> bool, watch: &mut dyn FnMut(&Live<'_>)) -> Result<Stop, CampaignError> {
        if !self.findings.is_empty() && self.is_enough() {
            return Ok(Stop::Bug); // what was taken up again was over
        }
        loop {
            let Some(id) = self.next() else { return Ok(Stop::Exhausted) };
            if let Some(stop) = self.out_of_budget(stop) {
                // Whoever has everything and only goes on to be sure loses nothing.
                let is_over = self.total.is_some() && stop != Stop::Interrupted;
                return Ok(if is_over { Stop::Exhausted } else { stop });
            }
            self.tell(watch);
            self.pool.expect(self.board.expected(id, self.current));
            let pool = self.pool.clone();
            let allowance = Allowance { runs: self.runs_left(), stop };
            let episode = pool.next(id, self.subject, &allowance)?;
            if let Some(stop) = self.take(id, episode)? {
                return Ok(stop);
            }
            if self.total.is_none() {
                self.keep_now_and_then()?; // what is over is kept once it is confirmed
            }
            self.save_memory();
        }
    }

    /// The job whose episode comes next, if any is left.
    fn next(&mut self) -> Option<JobId> {
        if self.total.is_some() && !self.goes_on() {
            return None;
        }
        let (twin, largest) = (self.board.by_bound(), self.board.largest());
        if self.settings.mode == Mode::Deepen {
            // A few runs with few preemptions, then everything for an episode: whatever is easy or small ends here.
            if let Some(first) = [twin, largest].into_iter().flatten().find(|id| self.board.job(*id).runs == 0) {
                return Some(first);
            }
        }
        let horizon = self.spent.1.max(SHORT) as f64;
        // Three ways to go on, each with as much spent on it as on the others: few preemptions in the largest space, that
        // space as it is if it seems to have an end, and what Iterative Deepening would have.
        let spent = |id: JobId| self.records[id.0].spent.1;
        let on_both = twin.map_or(0, spent) + self.board.everywhere().map_or(0, spent);
        let rest = self.spent.1.saturating_sub(self.spent_before_deeper).saturating_sub(on_both);
        let hopeful = largest.filter(|id| self.settings.mode == Mode::Deepen && self.board.is_hopeful(*id, horizon));
        let behind = twin.into_iter().chain(hopeful).min_by_key(|id| spent(*id));
        if behind.is_some_and(|id| spent(id) <= rest) {
            return behind;
        }
        let Some(id) = self.board.choose(self.current, horizon) else { return behind };
        if !self.board.is_hopeful(id, horizon) && behind.is_some() {
            return behind;
        }
        self.board.switch(self.current, id);
        self.current = Some(id);
        Some(id)
    }

    /// Is everything explored, but code ran that nobody saw? What it does is not known to conflict with anything, so other spaces
    /// may show what this one did not: some more are searched, for as long as several times what was needed so far.
    fn goes_on(&self) -> bool {
        let most = self.spent_on_all.saturating_mul(4).saturating_add(COST_PER_SECOND);
        self.board.unseen && self.settings.mode == Mode::Deepen && self.spent_now().1 < most
    }

    fn out_of_budget(&self, stop: &dyn Fn() -> bool) -> Option<Stop> {
        match () {
            () if self.settings.interrupt.load(Ordering::Relaxed) => Some(Stop::Interrupted),
            () if stop() => Some(Stop::Budget),
            () if self.runs_left() > 0 => None,
            () if self.settings.max_runs.is_some_and(|most| most <= self.spent.0) => Some(Stop::MaxRuns),
            () => Some(Stop::BudgetRuns),
        }
    }

    /// Runs that may still be made: a limit is for the whole campaign, a budget for what was made since it was taken up again.
    fn runs_left(&self) -> u64 {
        let allowed = self.settings.max_runs.map(|most| most.saturating_sub(self.spent.0));
        let budget = self.settings.budget_runs.map(|most| most.saturating_sub(self.spent_now().0));
        allowed.into_iter().chain(budget).min().unwrap_or(u64::MAX)
    }

    /// Runs and their cost, since the campaign was begun or taken up again.
    fn spent_now(&self) -> (u64, u64) {
        (self.spent.0 - self.spent_before.0, self.spent.1 - self.spent_before.1)
    }

    /// Time, with that before it was taken up again.
    pub(crate) fn elapsed(&self) -> Duration {
        self.elapsed_before + self.started.elapsed()
    }

    /// What a job still costs, as far as is known.
    pub(crate) fn estimate(&self, id: JobId) -> Option<f64> {
        let Record { progress, spent, .. } = &self.records[id.0];
        progress.estimated_factor().map(|factor| (factor - 1.0) * spent.1 as f64)
    }

    /// The job that holds everything, or else the one at work.
    pub(crate) fn lead(&self) -> Option<JobId> {
        self.total.or(self.current)
    }

    /// All searches together; what is no sum is of the job in the lead. The runs add up to all that were made: those that are not
    /// part of where a search stands are told as abandoned.
    pub(crate) fn progress(&self) -> Progress {
        let first = self.lead().map_or_else(Progress::default, |id| self.records[id.0].progress);
        let zero = Progress { runs: 0, cut: 0, blocked: 0, abandoned: 0, earlier: 0, ..first };
        let mut all = self.records.iter().map(|record| &record.progress).fold(zero, |mut all, one| {
            all.runs += one.runs;
            all.cut += one.cut;
            all.blocked += one.blocked;
            all
        });
        let counted = all.executed();
        assert!(counted <= self.spent.0, "internal error: {counted} runs are told, {} were made", self.spent.0);
        all.abandoned = self.spent.0 - counted;
        all
    }

    /// If memory runs low, the job that was put aside with the largest estimate is given up.
    fn save_memory(&mut self) {
        if self.board.has_suspended()
            && (self.settings.is_low)()
            && let Some(id) = self.board.drop_largest()
        {
            self.records[id.0].saved = None;
            self.pool.forget(id);
        }
    }

    fn tell(&mut self, watch: &mut dyn FnMut(&Live<'_>)) {
        let now = Instant::now();
        if now - self.reported < self.settings.progress_every {
            return;
        }
        self.reported = now;
        watch(&Live {
            progress: self.progress(),
            jobs: self.board.jobs().map(|(_, job)| job).collect(),
            current: self.current.map(|id| id.0),
            elapsed: self.elapsed(),
            bugs: self.findings.len(),
            races: self.races.len(),
        });
    }
}
