//! A campaign over one state space: plans out, traces in, until nothing is left or something says stop.
//!
//! Nothing is claimed on the word of a process that has run before: every bug, and the last run before `verified` or
//! `complete`, is repeated in a fresh process and must come out the same.

use crate::finding::{Confirmed, Kind, Signature, describe, replay_plan};
use crate::races::Races;
use crate::verdict::Facts;
use crate::{Finding, Narrowing, OnRace, Stop, Subject, Summary, Verdict};
use gabion_analysis::{HappensBefore, Race};
use gabion_search::{Observed, Options, Progress, Search, SearchError};
use gabion_trace::{Address, Caveat, CaveatKind, Ending, Plan, PlanId, Program, Recording, RunError, Trace};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Distinct bugs after which even `--keep-going` stops: each has a file of its own.
const MAX_FINDINGS: usize = 100;
/// Bit that sets the ids of repeated plans apart from those of the search.
const REPEATS: u64 = 1 << 63;
/// What a batch should cost at most, in operations and accesses: a fraction of a second, so that budgets and interrupts
/// are noticed.
const BATCH_COST: u64 = 10_000_000;

/// What to do after a bug.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AfterBug {
    /// Stop.
    Stop,
    /// Look for others.
    KeepGoing,
}

/// What a campaign is asked to do.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Everything about a run but its choices.
    pub template: Plan,
    /// What the template leaves out, in words.
    pub narrowing: Narrowing,
    /// For trace files; the hash is filled in.
    pub program: Program,
    /// How the state space is searched.
    pub search: Options,
    /// Wall-clock time.
    pub budget: Option<Duration>,
    /// Runs, of any kind.
    pub max_runs: Option<u64>,
    /// After a bug.
    pub after_bug: AfterBug,
    /// What data races mean.
    pub on_race: OnRace,
    /// What orders two accesses.
    pub relation: HappensBefore,
    /// Set by anybody who wants the campaign to end soon.
    pub interrupt: Arc<AtomicBool>,
    /// Time between two calls of the progress callback, at least.
    pub progress_every: Duration,
}

/// Where a campaign stands, for whoever watches.
#[derive(Clone, Copy, Debug)]
pub struct Live {
    /// The search.
    pub progress: Progress,
    /// Since the beginning.
    pub elapsed: Duration,
    /// Distinct bugs.
    pub bugs: usize,
}

/// Why a campaign cannot give a verdict.
#[derive(Debug, thiserror::Error)]
pub enum CampaignError {
    /// The target.
    #[error(transparent)]
    Run(#[from] RunError),
    /// A run did not follow its plan.
    #[error("{0}\n{NONDETERMINISM}")]
    Search(#[from] SearchError),
    /// The program called what cannot be modelled.
    #[error("not supported: {0}")]
    Unsupported(String),
    /// A run repeated in a fresh process came out differently.
    #[error("a run came out differently when it was repeated in a fresh process ({0})\n{NONDETERMINISM}")]
    Nondeterministic(String),
}

const NONDETERMINISM: &str = "The program must depend on nothing but its input and the order of its threads. \
    Usual causes: it reads files, the network or /proc; it depends on time or randomness through an instruction or a \
    raw system call; it shares memory with another process; it leaves files behind that change the next run.";

/// A campaign in progress.
pub struct Campaign<'a, S> {
    subject: &'a mut S,
    settings: Settings,
    search: Search,
    facts: Facts,
    findings: Vec<Finding>,
    failing_runs: u64,
    /// The last whole run with its plan, to be confirmed.
    last: Option<(Plan, Trace)>,
    /// A failing run of a space that was begun again. The new one shows it again, with more of what led to it; if it
    /// does not come that far, this is what there is.
    held: Option<(Plan, Trace, Kind)>,
    races: Races,
    /// Runs since the space began, and what they cost.
    spent: (u64, u64),
    started: Instant,
    reported: Instant,
}

impl<'a, S: Subject> Campaign<'a, S> {
    /// Prepares one.
    pub fn new(subject: &'a mut S, settings: Settings) -> Self {
        let now = Instant::now();
        let mut template = settings.template.clone();
        if settings.on_race != OnRace::Ignore {
            template.recording = template.recording.max(Recording::Accesses);
        }
        Campaign {
            search: Search::new(template, settings.search),
            races: Races::new(settings.relation, settings.narrowing.race_code.clone()),
            subject,
            settings,
            facts: Facts::default(),
            findings: Vec::new(),
            failing_runs: 0,
            last: None,
            held: None,
            spent: (0, 0),
            started: now,
            reported: now,
        }
    }

    /// Runs it to its end, whatever that is.
    pub fn run(mut self, watch: &mut dyn FnMut(&Live)) -> Summary {
        let explored = self.explore(watch).and_then(|stop| self.confirm_last(stop));
        let held = self.take_held();
        let (stop, error) = match explored.and_then(|stop| held.map(|found| if found { Stop::Bug } else { stop })) {
            Ok(stop) => (stop, None),
            Err(CampaignError::Run(RunError::Interrupted)) => (Stop::Interrupted, None),
            Err(error) => (Stop::Failed, Some(error.to_string())),
        };
        let caveats = self.caveats();
        let verdict = match &error {
            // A confirmed bug stays one, whatever happened afterwards.
            _ if !self.findings.is_empty() => Verdict::Bug,
            Some(_) => Verdict::Error,
            None => self.facts.verdict(stop, &caveats),
        };
        let everything =
            stop == Stop::Exhausted && self.facts.cuts.is_empty() && !caveats.iter().any(|caveat| caveat.kind.limits());
        Summary {
            races: self.races.settle(everything),
            verdict,
            stop,
            progress: self.search.progress(),
            elapsed: self.started.elapsed(),
            points: self.settings.template.points,
            bound: self.search.bound(),
            caveats,
            findings: self.findings,
            failing_runs: self.failing_runs,
            error,
        }
    }

    fn explore(&mut self, watch: &mut dyn FnMut(&Live)) -> Result<Stop, CampaignError> {
        let mut plans = Vec::new();
        let mut traces = Vec::new();
        loop {
            let before = Instant::now();
            if let Some(stop) = self.out_of_budget(before) {
                return Ok(stop);
            }
            self.tell(before, watch);
            plans.clear();
            let room = self.room();
            plans.extend(std::iter::from_fn(|| self.search.next()).take(room));
            if plans.is_empty() {
                let exhausted = self.search.is_exhausted();
                return Ok(if exhausted { Stop::Exhausted } else { Stop::MaxRuns });
            }
            self.subject.run(&plans, &mut traces)?;
            assert_eq!(plans.len(), traces.len(), "internal error: a trace for every plan");
            if let Some(stop) = self.take(&mut plans, &mut traces)? {
                return Ok(stop);
            }
        }
    }

    fn out_of_budget(&self, now: Instant) -> Option<Stop> {
        if self.settings.interrupt.load(Ordering::Relaxed) {
            return Some(Stop::Interrupted);
        }
        let spent = self.settings.budget.is_some_and(|budget| now - self.started >= budget);
        (spent && !self.search.is_exhausted()).then_some(Stop::Budget)
    }

    /// How many runs to ask for at once. That orders them, so it depends on what runs cost, never on time.
    fn room(&self) -> usize {
        let (runs, cost) = self.spent;
        let batch =
            (BATCH_COST.saturating_mul(runs) / cost.max(1)).clamp(1, self.subject.batch().max(1) as u64) as usize;
        let Some(most) = self.settings.max_runs else { return batch };
        let left = most.saturating_sub(self.search.progress().executed());
        batch.min(usize::try_from(left).unwrap_or(usize::MAX))
    }

    fn tell(&mut self, now: Instant, watch: &mut dyn FnMut(&Live)) {
        if now - self.reported >= self.settings.progress_every {
            self.reported = now;
            let elapsed = now - self.started;
            watch(&Live { progress: self.search.progress(), elapsed, bugs: self.findings.len() });
        }
    }

    /// Takes a batch of traces in.
    fn take(&mut self, plans: &mut Vec<Plan>, traces: &mut Vec<Trace>) -> Result<Option<Stop>, CampaignError> {
        let mut whole = None;
        for (index, (plan, trace)) in plans.iter().zip(traces.iter()).enumerate() {
            let mut counts = true;
            self.facts.coverage = self.facts.coverage.with(trace.coverage);
            self.facts.assumed.extend(&trace.assumed);
            self.facts.held.extend(trace.held.iter().map(|(_, lock, function)| (*lock, *function)));
            self.spent = (self.spent.0 + 1, self.spent.1.saturating_add(trace.cost));
            let observed = self.search.observe(trace);
            if trace.outcome.ending == Ending::Unsupported {
                return Err(self.unsupported(trace));
            }
            match observed? {
                Observed::Explored => whole = Some(index),
                Observed::Blocked => {}
                Observed::Cut => *self.facts.cuts.entry(trace.outcome.ending).or_default() += 1,
                Observed::Restarted => {
                    self.facts.cuts.clear();
                    self.spent = (0, 0);
                    whole = None;
                    counts = false;
                }
                Observed::Ignored => counts = false,
            }
            let kind = Kind::of(trace.outcome.ending);
            let raced = counts && self.settings.on_race != OnRace::Ignore && self.judge(plan, trace, kind)?;
            if raced && kind.is_none() && self.is_enough() {
                return Ok(Some(Stop::Bug));
            }
            if let Some(kind) = kind {
                if !counts {
                    self.held.get_or_insert_with(|| (plan.clone(), trace.clone(), kind));
                    continue;
                }
                self.failure(plan, trace, kind)?;
                if self.is_enough() {
                    return Ok(Some(Stop::Bug));
                }
            }
        }
        if let Some(index) = whole {
            // Whatever was kept before goes back: its memory is used again.
            match &mut self.last {
                Some((plan, trace)) => {
                    std::mem::swap(plan, &mut plans[index]);
                    std::mem::swap(trace, &mut traces[index]);
                }
                None => self.last = Some((plans.swap_remove(index), traces.swap_remove(index))),
            }
        }
        Ok(None)
    }

    fn is_enough(&self) -> bool {
        self.settings.after_bug == AfterBug::Stop || self.findings.len() >= MAX_FINDINGS
    }

    /// Looks for data races in a run. True: there is one that counts as a bug, and a finding of it.
    fn judge(&mut self, plan: &Plan, trace: &Trace, failed: Option<Kind>) -> Result<bool, CampaignError> {
        let new = self.races.judge(trace);
        let news = if new.is_empty() { Vec::new() } else { self.name_races(plan, trace, &new)? };
        if failed.is_some() {
            self.races.failed(trace);
        }
        if self.settings.on_race != OnRace::Deny || failed.is_some() {
            return Ok(false);
        }
        for index in &news {
            let signature = Signature::of_race(self.races.candidate(*index));
            let mut finding = self.confirm(plan, trace, signature)?;
            finding.tell_race(self.races.deny(*index), self.settings.relation);
            self.findings.push(finding);
        }
        Ok(!news.is_empty())
    }

    /// Names the races of a run; who called whom is not recorded by the search, so the run is repeated.
    fn name_races(&mut self, plan: &Plan, trace: &Trace, new: &[Race]) -> Result<Vec<usize>, CampaignError> {
        let stacks = self.with_stacks(plan, trace)?;
        let mut namer = crate::naming::Namer::new(self.subject);
        let news = self.races.add(&mut namer, new, stacks.as_ref().unwrap_or(trace));
        self.facts.races = self.races.len();
        Ok(news)
    }

    /// The same run with call stacks; `None` if it does not come out the same.
    fn with_stacks(&mut self, plan: &Plan, trace: &Trace) -> Result<Option<Trace>, CampaignError> {
        if crate::replay::is_lost(trace.outcome.ending) {
            return Ok(None);
        }
        let again = Plan { id: PlanId(REPEATS | plan.id.0), ..replay_plan(plan, trace, Recording::Stacks) };
        let mut traces = Vec::new();
        self.subject.run(std::slice::from_ref(&again), &mut traces)?;
        let with_stacks = traces.pop().expect("internal error: a trace for every plan");
        Ok(Some(with_stacks).filter(|again| again.outcome.ending == trace.outcome.ending))
    }

    fn failure(&mut self, plan: &Plan, trace: &Trace, kind: Kind) -> Result<(), CampaignError> {
        self.failing_runs += 1;
        let signature = match self.settings.after_bug {
            AfterBug::Stop => Signature::of(kind, trace),
            AfterBug::KeepGoing => self.signature(plan, trace, kind)?,
        };
        match self.findings.iter().position(|f| f.signature == signature) {
            None => {
                let finding = self.confirm(plan, trace, signature)?;
                self.findings.push(finding);
            }
            Some(index) if trace.preemptions() < self.findings[index].preemptions => {
                let seen = self.findings[index].seen + 1;
                self.findings[index] = Finding { seen, ..self.confirm(plan, trace, signature)? };
            }
            Some(index) => self.findings[index].seen += 1,
        }
        Ok(())
    }

    /// The signature needs stacks, which the search does not record: the run is repeated with them, in place.
    fn signature(&mut self, plan: &Plan, trace: &Trace, kind: Kind) -> Result<Signature, CampaignError> {
        let with_stacks = self.with_stacks(plan, trace)?;
        Ok(Signature::of(kind, with_stacks.as_ref().unwrap_or(trace)))
    }

    /// Repeats a failing run in a fresh process and names it. If all that there is to record does not fit, less is.
    fn confirm(&mut self, plan: &Plan, trace: &Trace, signature: Signature) -> Result<Finding, CampaignError> {
        for recording in [Recording::Values, Recording::Stacks, Recording::Accesses, Recording::Hash] {
            let again = Plan { fresh: true, ..replay_plan(plan, trace, recording) };
            let (confirmed, output) = self.subject.confirm(&again)?;
            if confirmed.outcome.ending == Ending::TraceFull && recording != Recording::Hash {
                continue;
            }
            same(trace, &confirmed)?;
            let run = Confirmed { first: trace, again: &confirmed, plan: again, output };
            return Ok(describe(self.subject, &self.settings.program, run, signature));
        }
        unreachable!("internal error: the last recording level returns")
    }

    /// A search that came to no bug, but held one back, has found that one, however it ended.
    fn take_held(&mut self) -> Result<bool, CampaignError> {
        match self.held.take().filter(|_| self.findings.is_empty()) {
            Some((plan, trace, kind)) => self.failure(&plan, &trace, kind).map(|()| true),
            None => Ok(false),
        }
    }

    /// Before `verified` or `complete`, the last run must come out the same in a fresh process.
    fn confirm_last(&mut self, stop: Stop) -> Result<Stop, CampaignError> {
        let claims = stop == Stop::Exhausted && self.findings.is_empty() && self.facts.cuts.is_empty();
        if let Some((plan, trace)) = self.last.take().filter(|_| claims) {
            let again = Plan { fresh: true, ..replay_plan(&plan, &trace, plan.recording) };
            let (confirmed, _) = self.subject.confirm(&again)?;
            same(&trace, &confirmed)?;
        }
        Ok(stop)
    }

    fn unsupported(&mut self, trace: &Trace) -> CampaignError {
        let mut namer = crate::naming::Namer::new(self.subject);
        let stack = namer.stack(trace.outcome.pc, &[]);
        let place = crate::naming::place(&stack).and_then(crate::naming::location);
        let place = place.map_or(String::new(), |place| format!(", called at {place}"));
        CampaignError::Unsupported(format!("{}{place}", trace.outcome.message))
    }

    fn caveats(&mut self) -> Vec<Caveat> {
        let mut caveats = self.subject.caveats();
        if !self.search.template().shared_stacks.is_empty() {
            caveats.extend(self.subject.stack_caveats());
        }
        let mut namer = crate::naming::Namer::new(self.subject);
        for pc in &self.facts.assumed {
            let stack = namer.stack(*pc, &[]);
            let place = crate::naming::place(&stack).and_then(crate::naming::location);
            caveats.push(Caveat::new(CaveatKind::AssumedWait, place.unwrap_or_default()));
        }
        for (lock, function) in &self.facts.held {
            let place =
                format!("{}, in {}", self.subject.object(Address::object(*lock)), self.subject.function(*function));
            caveats.push(Caveat::new(CaveatKind::LockHeldAtEnd, place));
        }
        self.facts.caveats(&self.settings, &self.search, caveats)
    }
}

fn same(first: &Trace, second: &Trace) -> Result<(), CampaignError> {
    let endings = (first.outcome.ending, second.outcome.ending);
    if crate::replay::destroyed(&first.outcome, &second.outcome) {
        return Ok(());
    }
    if endings.0 != endings.1 {
        let what = format!("it ended as {:?}, then as {:?} {}", endings.0, endings.1, second.outcome.message);
        return Err(CampaignError::Nondeterministic(what.trim_end().to_string()));
    }
    if first.hash != second.hash {
        let what = format!(
            "both ended as {:?}, on different ways: hash {:016x}, then {:016x}; {} steps, then {}",
            endings.0, first.hash, second.hash, first.length, second.length
        );
        return Err(CampaignError::Nondeterministic(what));
    }
    Ok(())
}
