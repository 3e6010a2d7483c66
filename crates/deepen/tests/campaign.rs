//! Campaigns on in-memory programs: verdicts, budgets, confirmation.

#[path = "../../search/tests/model/mod.rs"]
mod model;

use gabion_deepen::{
    AfterBug, Campaign, HappensBefore, Input, Kind, Live, Mode, Narrowing, OnRace, RaceThreads, Replayed, Settings,
    Stop, Subject, Summary, Verdict, replay,
};
use gabion_trace::{
    Address, Caveat, CaveatKind, Frame, Limits, Plan, PointSet, Program, RunError, Target, ThreadId, Trace, TraceFile,
};
use model::{Model, Op};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

struct InMemory {
    model: Model,
    caveats: Vec<Caveat>,
    /// Batches that are run before the target breaks.
    batches: usize,
}

impl Target for InMemory {
    fn run(&mut self, plans: &[Plan], traces: &mut Vec<Trace>) -> Result<(), RunError> {
        self.batches = self.batches.checked_sub(1).ok_or_else(|| RunError::Broken("broken".into()))?;
        self.model.run(plans, traces)
    }
    fn batch(&self) -> usize {
        self.model.batch
    }
}

impl Subject for InMemory {
    fn confirm(&mut self, plan: &Plan) -> Result<(Trace, String), RunError> {
        assert!(plan.fresh, "confirmation asks for a fresh process");
        Ok((self.model.run_one(plan).0, "hello\n".to_string()))
    }
    fn caveats(&self) -> Vec<Caveat> {
        self.caveats.clone()
    }
    fn stack_caveats(&self) -> Vec<Caveat> {
        vec![Caveat::new(CaveatKind::UninstrumentedFunction, "on a stack")]
    }
    fn call_caveat(&self) -> Option<Caveat> {
        Some(Caveat::new(CaveatKind::UnmodelledCall, "called"))
    }
    fn program_hash(&self) -> u64 {
        42
    }
    fn frames(&mut self, pc: u64) -> Vec<Frame> {
        vec![Frame {
            function: Some("f".into()),
            file: Some("model.c".into()),
            line: Some((pc & 0xff) as u32 + 1),
            module: String::new(),
        }]
    }
    fn object(&mut self, address: Address, _size: u64) -> String {
        format!("{address:?}")
    }
    fn function(&mut self, _pc: u64) -> String {
        "worker".into()
    }
    fn variable(&mut self, _address: u64) -> Option<(String, u64)> {
        None
    }
}

fn subject(bodies: Vec<Vec<Op>>) -> InMemory {
    InMemory { model: Model::new(model::Program(bodies), 3), caveats: Vec::new(), batches: usize::MAX }
}

fn settings() -> Settings {
    Settings {
        mode: Mode::Single,
        budget_runs: None,
        resume: None,
        keep_every: Duration::ZERO,
        is_low: || false,
        search: gabion_search::Options { reduction: gabion_search::Reduction::None, ..Default::default() },
        narrowing: Narrowing::default(),
        template: Plan::default(),
        program: Program::default(),
        budget: None,
        max_runs: None,
        after_bug: AfterBug::Stop,
        allowed: Vec::new(),
        minimise_runs: 0,
        on_race: OnRace::Report,
        waits: gabion_deepen::Waits::default(),
        race_threads: RaceThreads::All,
        relation: HappensBefore::Pure,
        steering: HappensBefore::Limited,
        interrupt: Arc::new(AtomicBool::new(false)),
        progress_every: Duration::ZERO,
    }
}

fn run(subject: &mut InMemory, settings: Settings) -> Summary {
    Campaign::new(subject, settings).run(&mut |_: &Live<'_>| {})
}

fn good() -> Vec<Vec<Op>> {
    vec![vec![Op::Spawn(1), Op::Work, Op::Work], vec![Op::Work, Op::Work]]
}

#[test]
fn everything_passes_and_nothing_is_hidden() {
    let summary = run(&mut subject(good()), settings());
    assert_eq!((summary.verdict, summary.stop), (Verdict::Verified, Stop::Exhausted));
    assert_eq!(summary.progress.runs, 6);
    assert!(summary.caveats.iter().all(|c| c.kind == CaveatKind::TrustedLibrary));
}

#[test]
fn less_than_everything_is_complete() {
    let mut few = settings();
    few.template.points = PointSet::SYNC;
    let summary = run(&mut subject(good()), few);
    assert_eq!(summary.verdict, Verdict::Complete);
    assert_eq!(summary.caveats[0], Caveat::new(CaveatKind::FewerPoints, "sync"));

    let mut with_handler = subject(good());
    with_handler.caveats.push(Caveat::new(CaveatKind::FaultHandler, "SIGSEGV"));
    assert_eq!(run(&mut with_handler, settings()).verdict, Verdict::Complete);
}

#[test]
fn unseen_code_of_several_threads_is_partial_unless_it_is_trusted() {
    let check = |program: Vec<Vec<Op>>, trust: &[&str], expected: Verdict| {
        let mut with_library = subject(program);
        with_library.caveats.push(Caveat::new(CaveatKind::UninstrumentedLibrary, "/usr/lib/libz.so.1"));
        let mut asked = settings();
        asked.narrowing.trust = trust.iter().map(|pattern| (*pattern).to_string()).collect();
        let summary = run(&mut with_library, asked);
        assert_eq!((summary.verdict, summary.stop), (expected, Stop::Exhausted), "{trust:?}");
    };
    check(good(), &[], Verdict::Partial);
    check(good(), &["lib:y"], Verdict::Partial);
    check(good(), &["lib:z"], Verdict::Complete);
    check(vec![vec![Op::Work]], &[], Verdict::Complete);
}

#[test]
fn a_shared_stack_has_caveats_of_its_own() {
    let program = vec![vec![Op::Spawn(1), Op::Work, Op::TouchMain], vec![Op::Work, Op::TouchMain]];
    let summary = run(&mut subject(program), settings());
    assert_eq!(summary.verdict, Verdict::Partial);
    assert_eq!(summary.caveats[0].place, "on a stack");
}

#[test]
fn a_bug_is_confirmed_and_named() {
    let mut subject = subject(vec![vec![Op::Spawn(1), Op::Work], vec![Op::Work, Op::Fail]]);
    let summary = run(&mut subject, settings());
    assert_eq!((summary.verdict, summary.stop), (Verdict::Bug, Stop::Bug));
    let [finding] = &summary.findings[..] else { panic!("one bug") };
    assert_eq!(finding.kind, Kind::Assertion);
    assert_eq!(finding.location.as_deref(), Some("model.c:1"));
    let file = TraceFile::from_bytes(&finding.trace.to_bytes()).expect("a file that can be read");
    assert_eq!((file.output.as_str(), file.program.hash), ("hello\n", 42));
    let (again, _) = subject.model.run_one(&file.plan);
    assert_eq!(again.hash, file.hash, "the file's plan replays the run");
}

#[test]
fn keep_going_tells_bugs_apart() {
    let bodies = vec![vec![Op::Spawn(1), Op::Work, Op::Lock(0)], vec![Op::Lock(0), Op::Work, Op::Fail]];
    let summary = run(
        &mut subject(bodies),
        Settings {
            after_bug: AfterBug::KeepGoing,
            on_race: OnRace::Report,
            waits: gabion_deepen::Waits::default(),
            relation: HappensBefore::Pure,
            steering: HappensBefore::Limited,
            ..settings()
        },
    );
    assert_eq!((summary.verdict, summary.stop), (Verdict::Bug, Stop::Exhausted));
    let mut kinds: Vec<_> = summary.findings.iter().map(|f| f.kind.name()).collect();
    kinds.sort_unstable();
    assert_eq!(kinds, ["assertion", "deadlock"]);
    assert_eq!(summary.failing_runs, summary.findings.iter().map(|f| f.seen).sum::<u64>());
}

#[test]
fn limits_make_it_partial() {
    let stopped = run(&mut subject(good()), Settings { max_runs: Some(4), ..settings() });
    assert_eq!((stopped.verdict, stopped.stop, stopped.progress.runs), (Verdict::Partial, Stop::MaxRuns, 4));
    let enough = run(&mut subject(good()), Settings { max_runs: Some(6), ..settings() });
    assert_eq!((enough.verdict, enough.progress.runs), (Verdict::Verified, 6));
    let late = run(&mut subject(good()), Settings { budget: Some(Duration::ZERO), ..settings() });
    assert_eq!((late.verdict, late.stop), (Verdict::Partial, Stop::Budget));

    let mut short = settings();
    short.template.limits = Limits { steps: 3, ..Limits::default() };
    let cut = run(&mut subject(good()), short);
    assert_eq!((cut.verdict, cut.stop), (Verdict::Partial, Stop::Exhausted));
    assert!(cut.caveats.iter().any(|c| c.kind == CaveatKind::Cut && c.place.contains("--max-steps")));
}

#[test]
fn an_interrupt_leaves_a_report() {
    let interrupt = Arc::new(AtomicBool::new(false));
    let flag = interrupt.clone();
    let mut subject = subject(vec![[vec![Op::Spawn(1)], vec![Op::Work; 7]].concat(), vec![Op::Work; 7]]);
    let campaign = Campaign::new(&mut subject, Settings { interrupt, ..settings() });
    let summary = campaign.run(&mut |live: &Live| {
        if live.progress.runs > 0 {
            flag.store(true, Ordering::Relaxed);
        }
    });
    assert_eq!((summary.verdict, summary.stop), (Verdict::Partial, Stop::Interrupted));
    assert!(summary.progress.runs > 0);
}

#[test]
fn a_program_that_differs_from_run_to_run_is_an_error() {
    let mut subject = subject(good());
    subject.model.flaky = true;
    let summary = run(&mut subject, settings());
    assert_eq!(summary.verdict, Verdict::Error);
    assert!(summary.error.is_some_and(|e| e.contains("fresh process") && e.contains("Usual causes")));
}

#[test]
fn what_cannot_be_modelled_is_an_error() {
    let summary = run(&mut subject(vec![vec![Op::Unsupported]]), settings());
    assert_eq!(summary.verdict, Verdict::Error);
    assert!(summary.error.is_some_and(|e| e.contains("not supported") && e.contains("model.c:1")));
}

#[test]
fn a_trace_file_replays_as_often_as_asked() {
    let mut subject = subject(vec![vec![Op::Spawn(1), Op::Work], vec![Op::Work, Op::Fail]]);
    let mut file = run(&mut subject, settings()).findings.remove(0).trace;
    let result = replay(&mut subject, &file, 1000, Input::AsRecorded).expect("runs");
    assert_eq!((result.replayed, result.runs), (Replayed::Again, 1000));

    file.hash += 1;
    let other = replay(&mut subject, &file, 1, Input::AsRecorded).expect("runs");
    assert!(matches!(other.replayed, Replayed::Diverged(_)), "the same program on another way");
    file.program.hash = 1;
    let changed = replay(&mut subject, &file, 1, Input::AsRecorded).expect("runs");
    assert!(matches!(changed.replayed, Replayed::AgainChanged(ref now) if now.fails), "{changed:?}");

    subject.model.program = model::Program(vec![vec![Op::Spawn(1), Op::Work], vec![Op::Work, Op::Work]]);
    let fixed = replay(&mut subject, &file, 1, Input::AsRecorded).expect("runs");
    assert!(matches!(fixed.replayed, Replayed::Otherwise(_)), "{fixed:?}");
    subject.model.program = model::Program(vec![vec![Op::Work, Op::Spawn(1), Op::Work], vec![Op::Work]]);
    let gone = replay(&mut subject, &file, 1, Input::AsRecorded).expect("runs");
    assert!(matches!(gone.replayed, Replayed::Misfit { again: false, .. }), "{gone:?}");
}

#[test]
fn a_failure_of_an_abandoned_space_is_shown_by_the_one_that_follows() {
    let bodies = || vec![vec![Op::Spawn(1), Op::Work], vec![Op::TouchMain, Op::Fail]];
    let summary = run(&mut subject(bodies()), settings());
    assert_eq!((summary.verdict, summary.stop), (Verdict::Bug, Stop::Bug));
    assert!(summary.progress.abandoned > 0 && summary.progress.runs > 0, "{:?}", summary.progress);
    assert_eq!(summary.findings[0].trace.plan.shared_stacks, [ThreadId::MAIN]);
    // If the search does not come that far, the run that was abandoned is all there is.
    let summary = run(&mut subject(bodies()), Settings { budget_runs: Some(1), ..settings() });
    assert_eq!((summary.verdict, summary.progress.runs), (Verdict::Bug, 0));
    assert!(summary.findings[0].trace.plan.shared_stacks.is_empty());
    // Also if something breaks before.
    let summary = run(&mut InMemory { batches: 1, ..subject(bodies()) }, settings());
    assert_eq!((summary.verdict, summary.findings.len()), (Verdict::Bug, 1));
    assert!(summary.error.is_some_and(|error| error.contains("broken")));
}

#[test]
fn a_limit_counts_all_runs_those_of_an_abandoned_space_too() {
    let bodies = || vec![vec![Op::Spawn(1), Op::Work, Op::Work], vec![Op::TouchMain, Op::Work]];
    for most in 1..4 {
        let summary = run(&mut subject(bodies()), Settings { max_runs: Some(most), ..settings() });
        assert_eq!((summary.stop, summary.progress.executed()), (Stop::MaxRuns, most), "{:?}", summary.progress);
        assert!(summary.progress.abandoned > 0);
    }
}
