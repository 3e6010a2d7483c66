//! However a campaign goes about it, it comes to the same: Iterative Deepening, always the largest space, and one space with
//! points everywhere reach the final states, findings and verdict of brute force (report 003, theorem 2).
//!
//! `PROPTEST_CASES` says how many programs for each property, `PROPTEST_RNG_SEED` which ones.

use gabion_deepen::{
    AfterBug, Campaign, HappensBefore, Live, Mode, Narrowing, OnRace, RaceThreads, Settings, Status, Stop, Subject,
    Summary, Verdict,
};
use gabion_model::generate::{Case, Profile, cases};
use gabion_model::{Exhaustive, Final, Finding, Model};
use gabion_search::{Observed, Options, Reduction, Search};
use gabion_trace::{
    Address, Caveat, Ending, Fewest, Frame, Plan, PointSet, Program, Recording, RunError, Target, Trace,
};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Most interleavings of a generated program.
const MOST: u64 = 1_500;

/// What runs came to.
#[derive(Debug, Default)]
struct Ends {
    finals: BTreeSet<Final>,
    findings: BTreeSet<Finding>,
    runs: u64,
    /// By their hash: all that were made, in their order.
    made: Vec<u64>,
}

#[derive(Clone)]
struct InMemory {
    model: Model,
    ends: Arc<Mutex<Ends>>,
}

impl InMemory {
    fn new(case: &Case) -> Self {
        InMemory { model: Model::new(case.program.clone(), 1), ends: Arc::default() }
    }
}

impl Target for InMemory {
    fn run(&mut self, plans: &[Plan], traces: &mut Vec<Trace>) -> Result<(), RunError> {
        traces.clear();
        for plan in plans {
            let (trace, run) = self.model.run_fully(plan);
            self.ends.lock().expect("nobody panics with it").made.push(trace.hash);
            if trace.outcome.ending != Ending::Asleep && trace.outcome.ending != Ending::Diverged {
                let mut ends = self.ends.lock().expect("nobody panics with it");
                // Who was left behind by an exit may be anywhere: nobody can tell.
                if trace.pending.is_empty() && !trace.outcome.is_failure() {
                    ends.finals.insert(run.end);
                }
                ends.findings.extend(run.finding);
                ends.runs += 1;
            }
            traces.push(trace);
        }
        Ok(())
    }
}

impl Subject for InMemory {
    fn confirm(&mut self, plan: &Plan) -> Result<(Trace, String), RunError> {
        Ok((self.model.run_one(plan), String::new()))
    }
    fn caveats(&self) -> Vec<Caveat> {
        Vec::new()
    }
    fn stack_caveats(&self) -> Vec<Caveat> {
        Vec::new()
    }
    fn call_caveat(&self) -> Option<Caveat> {
        None
    }
    fn program_hash(&self) -> u64 {
        42
    }
    fn frames(&mut self, pc: u64) -> Vec<Frame> {
        let line = Some((pc & 0xf_ffff) as u32 + 1);
        vec![Frame { function: None, file: Some(format!("{}.c", pc >> 20)), line, module: String::new() }]
    }
    fn object(&mut self, address: Address, _size: u64) -> String {
        format!("{address:?}")
    }
    fn function(&mut self, pc: u64) -> String {
        format!("body{}", pc >> 20)
    }
    fn variable(&mut self, _address: u64) -> Option<(String, u64)> {
        None
    }
}

fn settings(case: &Case, mode: Mode, after_bug: AfterBug) -> Settings {
    Settings {
        mode,
        search: Options { reduction: Reduction::Optimal, ..Options::default() },
        narrowing: Narrowing::default(),
        template: Plan { points: PointSet::EVERYWHERE, recycle: case.recycle, ..Plan::default() },
        program: Program::default(),
        budget: None,
        budget_runs: None,
        resume: None,
        keep_every: Duration::ZERO,
        is_low: || false,
        max_runs: None,
        after_bug,
        allowed: Vec::new(),
        minimise_runs: 0,
        on_race: OnRace::Report,
        waits: gabion_deepen::Waits::default(),
        race_threads: RaceThreads::All,
        relation: HappensBefore::Pure,
        // Whatever chooses the points, what is verified in the end is the same.
        steering: if case.recycle { HappensBefore::Pure } else { HappensBefore::Limited },
        interrupt: Arc::new(AtomicBool::new(false)),
        progress_every: Duration::MAX,
    }
}

fn campaign(case: &Case, settings: Settings, helpers: usize) -> (Summary, Ends) {
    let mut subject = InMemory::new(case);
    let another = subject.clone();
    let make = || Ok(Box::new(another.clone()) as Box<dyn Subject>);
    let summary = Campaign::new(&mut subject, settings).with_helpers(helpers, &make).run(&mut |_: &Live<'_>| {});
    drop(another);
    let ends = std::mem::take(&mut *subject.ends.lock().expect("nobody panics with it"));
    (summary, ends)
}

/// All modes reach what brute force reaches.
fn converges(case: &Case) -> Result<(), TestCaseError> {
    converges_with(case, RaceThreads::All)
}

fn converges_with(case: &Case, race_threads: RaceThreads) -> Result<(), TestCaseError> {
    let settings = |case: &Case, mode, after_bug| Settings { race_threads, ..settings(case, mode, after_bug) };
    let how = Exhaustive { recycle: case.recycle, ..Exhaustive::default() };
    let expected = how.explore(&case.program).expect("no limit");
    let verdict = if expected.findings.is_empty() { Verdict::Verified } else { Verdict::Bug };
    let finals = campaign(case, settings(case, Mode::Single, AfterBug::KeepGoing), 0).1.finals;
    for mode in [Mode::Single, Mode::Maximal, Mode::Deepen] {
        let (summary, ends) = campaign(case, settings(case, mode, AfterBug::KeepGoing), 0);
        prop_assert_eq!((summary.verdict, summary.stop), (verdict, Stop::Exhausted), "{:?} {:?}", mode, summary.error);
        prop_assert_eq!(&ends.findings, &expected.findings, "{:?}", mode);
        prop_assert_eq!(&ends.finals, &finals, "{:?}", mode);
        let (stopped, _) = campaign(case, settings(case, mode, AfterBug::Stop), 0);
        prop_assert_eq!(stopped.verdict, verdict, "{:?}, to the first bug", mode);
    }
    Ok(())
}

/// What tells bugs apart, as far as tiny programs have it: how they end, where, who waits where.
type BugKey = (Ending, u64, BTreeSet<(u64, u8)>);

fn bug_of(trace: &Trace) -> BugKey {
    let waits: BTreeSet<_> = trace.blocked.iter().map(|b| (b.pending.pc, b.pending.op as u8)).collect();
    match trace.outcome.ending {
        ending @ (Ending::Deadlock | Ending::Livelock) if !waits.is_empty() => (ending, 0, waits),
        ending => (ending, trace.outcome.pc, BTreeSet::new()),
    }
}

/// All failing runs, by brute force: the bug and the number of preemptions; and how many runs there are.
fn failing_runs(case: &Case) -> (Vec<(BugKey, usize)>, u64) {
    let model = Model::new(case.program.clone(), 1);
    let template = settings(case, Mode::Single, AfterBug::Stop).template;
    let template = Plan { recording: Recording::Accesses, ..template };
    let mut search = Search::new(template, Options { reduction: Reduction::None, ..Options::default() });
    let mut failing = Vec::new();
    while let Some(plan) = search.next() {
        let trace = model.run_one(&plan);
        let observed = search.observe(&trace).expect("it follows its plan");
        if observed == Observed::Restarted {
            failing.clear();
        } else if trace.outcome.is_failure() {
            failing.push((bug_of(&trace), trace.preemptions()));
        }
    }
    (failing, search.progress().runs)
}

/// A bug made small is the same bug, replays, and has as few preemptions as any run of it; what passes beside it passes.
fn is_smallest(case: &Case) -> Result<(), TestCaseError> {
    let (failing, runs) = failing_runs(case);
    let model = Model::new(case.program.clone(), 1);
    let again = |plan: &Plan| model.run_one(&Plan { recording: Recording::Accesses, ..plan.clone() });
    for mode in [Mode::Single, Mode::Deepen] {
        let small = Settings { minimise_runs: 2000, ..settings(case, mode, AfterBug::KeepGoing) };
        let (summary, _) = campaign(case, small, 0);
        for found in &summary.findings {
            let file = &found.trace;
            let minimisation = file.minimisation.as_ref().expect("it was made small");
            let run = again(&file.plan);
            prop_assert_eq!(run.hash, file.hash, "it replays");
            let bug = bug_of(&run);
            if let Some(original) = &minimisation.original {
                prop_assert_eq!(bug_of(&again(&original.plan)), bug.clone(), "another bug");
                prop_assert!(file.preemptions <= original.preemptions);
            }
            let least = failing.iter().filter(|(other, _)| *other == bug).map(|(_, preemptions)| *preemptions).min();
            let proven = minimisation.fewest == Fewest::Proven;
            prop_assert!(proven || runs > 200, "{:?} {} runs: {:?}", mode, runs, minimisation);
            prop_assert!(
                !proven || Some(file.preemptions) == least,
                "{:?}: {} not {:?}",
                mode,
                file.preemptions,
                least
            );
            if let Some(passing) = &minimisation.passing {
                prop_assert_eq!(again(&passing.run.plan).outcome.ending, Ending::Passed);
            }
        }
    }
    Ok(())
}

/// Who searches makes no difference: not to the verdict, the spaces or the number of runs.
fn is_the_same_for_all(case: &Case) -> Result<(), TestCaseError> {
    for budget in [37, 300] {
        let many = Settings { budget_runs: Some(budget), ..settings(case, Mode::Deepen, AfterBug::KeepGoing) };
        let alone = told(case, &many, 0);
        for helpers in [1, 3] {
            prop_assert_eq!(&told(case, &many, helpers), &alone, "{} helpers", helpers);
        }
    }
    Ok(())
}

/// Everything that must not depend on who searches.
fn told(case: &Case, settings: &Settings, helpers: usize) -> String {
    let (summary, _) = campaign(case, settings.clone(), helpers);
    let Summary { verdict, stop, progress, failing_runs, completed_bound, spaces, findings, .. } = summary;
    let (made, most) = (progress.executed(), settings.budget_runs.expect("a budget of runs"));
    assert!(if stop == Stop::BudgetRuns { made == most } else { made <= most }, "{made} runs of {most}, {stop:?}");
    assert_eq!(spaces.iter().map(|space| space.runs).sum::<u64>(), made, "{spaces:#?}");
    format!("{verdict:?} {stop:?} {progress:?} {failing_runs} {} {completed_bound:?} {spaces:#?}", findings.len())
}

#[test]
fn a_large_campaign_is_the_same_for_any_number_of_workers() {
    let case = large(5);
    for budget in [901, 2_345, 4_000] {
        let many = Settings { budget_runs: Some(budget), ..settings(&case, Mode::Deepen, AfterBug::Stop) };
        let alone = told(&case, &many, 0);
        for helpers in [1, 2, 5] {
            assert_eq!(told(&case, &many, helpers), alone, "{helpers} helpers");
        }
    }
}

#[test]
fn the_first_runs_are_the_same_for_every_budget() {
    let case = large(5);
    let runs = |settings: Settings| {
        let (summary, ends) = campaign(&case, settings, 0);
        let searched = summary.progress.executed() as usize; // what follows confirms the verdict
        ends.made[..searched].to_vec()
    };
    let unlimited = || Settings { max_runs: Some(20_000), ..settings(&case, Mode::Deepen, AfterBug::Stop) };
    let all = runs(unlimited());
    assert_eq!(all.len(), 20_000);
    for count in [100, 1_000, 10_000] {
        let counted = runs(Settings { budget_runs: Some(count), ..unlimited() });
        assert!(counted == all[..count as usize], "{count} runs");
    }
    for milliseconds in [5, 50, 500] {
        let timed = runs(Settings { budget: Some(Duration::from_millis(milliseconds)), ..unlimited() });
        assert!(timed == all[..timed.len()], "{milliseconds} ms, {} runs", timed.len());
    }
}

/// Two threads that meet so many times: more interleavings than anybody runs here.
fn large(times: usize) -> Case {
    use gabion_model::{Program as Tiny, Statement, Value};
    let body = vec![[Statement::Lock(0), Statement::Unlock(0), Statement::Write(0, Value::Const(1))]; times].concat();
    let main = [vec![Statement::Create(1), Statement::Create(2)], body.clone()].concat();
    let program = Tiny { bodies: vec![main, body.clone(), body], ..Tiny::default() };
    Case { program, points: PointSet::EVERYWHERE, recycle: false }
}

#[test]
fn a_point_in_some_threads_is_part_of_it_in_all_and_makes_a_smaller_space() {
    use gabion_model::{Program as Tiny, Statement, Value};
    // Two threads race with each other at one instruction; a third passes it when both are over.
    let main = [1, 1].map(Statement::Create).into_iter().chain([0, 1].map(Statement::Join));
    let main = main.chain([Statement::Create(1), Statement::Join(2)]).collect();
    let body = vec![Statement::Read(0, 0), Statement::Write(0, Value::Sum(0, 1))];
    let program = Tiny { bodies: vec![main, body], ..Tiny::default() };
    let case = Case { program, points: PointSet::EVERYWHERE, recycle: false };
    let names = |race_threads| {
        let settings = Settings { race_threads, ..settings(&case, Mode::Maximal, AfterBug::Stop) };
        let (summary, _) = campaign(&case, settings, 0);
        assert_eq!(summary.verdict, Verdict::Verified);
        let space = summary.spaces.last().expect("one at least");
        space.preempt.iter().filter(|name| name.starts_with("access")).cloned().collect::<Vec<_>>()
    };
    assert_eq!(names(RaceThreads::All), ["access 2.c:1", "access 2.c:2"]);
    let racing = ["2.c:1 by main.1", "2.c:1 by main.2", "2.c:2 by main.1", "2.c:2 by main.2"];
    assert_eq!(names(RaceThreads::Racing), racing.map(|at| format!("access {at}")), "not by main.3");
}

#[test]
fn low_memory_drops_what_was_put_aside_and_the_verdict_says_so() {
    let case = large(9);
    // Without reduction estimates are known to be large from the start.
    let search = Options { reduction: Reduction::None, ..Options::default() };
    let plenty = Settings { search, budget_runs: Some(4_000), ..settings(&case, Mode::Deepen, AfterBug::Stop) };
    let dropped = |summary: &Summary| summary.spaces.iter().filter(|s| s.status == Status::Dropped).count();
    let (summary, _) = campaign(&case, plenty.clone(), 0);
    assert_eq!((summary.verdict, dropped(&summary)), (Verdict::Partial, 0));
    let (summary, _) = campaign(&case, Settings { is_low: || true, ..plenty }, 0);
    assert_eq!(summary.verdict, Verdict::Partial);
    assert!(dropped(&summary) > 0, "{:#?}", summary.spaces);
    assert!(summary.caveats.iter().any(|c| c.place.contains("memory ran low")), "{:?}", summary.caveats);
}

fn everywhere(profile: Profile) -> impl Strategy<Value = Case> {
    cases(profile, MOST).prop_map(|case| Case { points: PointSet::EVERYWHERE, ..case })
}

/// The program in which all threads that main creates do what the first does, so that one instruction is several threads'; unless
/// that has too many interleavings.
fn alike(case: Case) -> Case {
    use gabion_model::Statement;
    let mut alike = case.clone();
    for statement in &mut alike.program.bodies[0] {
        if let Statement::Create(body) = statement {
            *body = 1;
        }
    }
    let how = Exhaustive { recycle: case.recycle, most: MOST, ..Exhaustive::default() };
    if how.count(&alike.program).is_some() { alike } else { case }
}

/// Programs for each property.
fn cases_asked() -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(500)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(cases_asked()) })]

    #[test]
    fn with_any_number_of_workers(case in everywhere(Profile::Everything)) { is_the_same_for_all(&case)? }
    #[test]
    fn made_small_with_memory(case in everywhere(Profile::Memory)) { is_smallest(&case)? }
    #[test]
    fn made_small_with_everything(case in everywhere(Profile::Everything)) { is_smallest(&case)? }
    #[test]
    fn made_small_with_choices(case in everywhere(Profile::Choices)) { is_smallest(&case)? }
    #[test]
    fn with_memory_and_locks(case in everywhere(Profile::Memory)) { converges(&case)? }
    #[test]
    fn with_everything(case in everywhere(Profile::Everything)) { converges(&case)? }
    #[test]
    fn with_choices(case in everywhere(Profile::Choices)) { converges(&case)? }
    #[test]
    fn with_early_ends(case in everywhere(Profile::Exits)) { converges(&case)? }
    #[test]
    fn with_points_in_racing_threads_alone(case in everywhere(Profile::Everything).prop_map(alike)) {
        converges_with(&case, RaceThreads::Racing)?;
    }
    #[test]
    fn with_points_in_racing_threads_and_early_ends(case in everywhere(Profile::Exits).prop_map(alike)) {
        converges_with(&case, RaceThreads::Racing)?;
    }
    #[test]
    fn with_recycled_memory(case in everywhere(Profile::Recycled)) { converges(&case)? }
    #[test]
    fn with_strangers_that_unlock(case in everywhere(Profile::Strangers)) { converges(&case)? }
}
