//! Kept campaigns: what is damaged is refused, whatever byte it is; two gabions do not work on one; `max_runs` counts the whole of it.

use gabion_deepen::{
    AfterBug, Campaign, HappensBefore, Live, Mode, Narrowing, OnRace, RaceThreads, Settings, Stop, Subject, Summary,
    Verdict,
};
use gabion_model::Statement::{Assert, Create, Join, Load, Lock, Store, Unlock};
use gabion_model::{Model, Statement, Value};
use gabion_trace::{Address, Caveat, Frame, Plan, PointSet, Program, RunError, Target, Trace};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

struct InMemory(Model);

impl Target for InMemory {
    fn run(&mut self, plans: &[Plan], traces: &mut Vec<Trace>) -> Result<(), RunError> {
        traces.clear();
        traces.extend(plans.iter().map(|plan| self.0.run_one(plan)));
        Ok(())
    }
    fn batch(&self) -> usize {
        1
    }
}

impl Subject for InMemory {
    fn confirm(&mut self, plan: &Plan) -> Result<(Trace, String), RunError> {
        Ok((self.0.run_one(plan), String::new()))
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
    fn frames(&mut self, _pc: u64) -> Vec<Frame> {
        Vec::new()
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

fn run(program: &[Vec<Statement>], settings: Settings) -> Summary {
    let mut subject = InMemory(Model::new(gabion_model::Program::new(program.to_vec()), 1));
    Campaign::new(&mut subject, settings).run(&mut |_: &Live<'_>| {})
}

fn settings(directory: &Path) -> Settings {
    Settings {
        mode: Mode::Single,
        budget_runs: None,
        resume: Some(directory.to_path_buf()),
        keep_every: Duration::ZERO,
        is_low: || false,
        search: gabion_search::Options::default(),
        narrowing: Narrowing::default(),
        template: Plan { points: PointSet::EVERYWHERE, ..Plan::default() },
        program: Program::default(),
        budget: None,
        max_runs: None,
        after_bug: AfterBug::Stop,
        minimise_runs: 0,
        on_race: OnRace::Report,
        race_threads: RaceThreads::All,
        relation: HappensBefore::Pure,
        steering: HappensBefore::Pure,
        allowed: Vec::new(),
        waits: gabion_deepen::Waits::default(),
        interrupt: Arc::new(AtomicBool::new(false)),
        progress_every: Duration::ZERO,
    }
}

/// Three threads that take a lock.
fn locks() -> Vec<Vec<Statement>> {
    let locked = || vec![Lock(0), Unlock(0)];
    vec![[vec![Create(1), Create(2)], locked(), vec![Join(1), Join(2)]].concat(), locked(), locked()]
}

/// Two that count without one.
fn racy() -> Vec<Vec<Statement>> {
    let count = || vec![Load(0, 0), Store(0, Value::Sum(0, 1))];
    vec![[vec![Create(1)], count(), vec![Join(1), Load(0, 1), Assert(1, 2)]].concat(), count()]
}

/// A campaign that is put aside, one that is over, and one with a bug: every byte of each changed, and cut off there.
#[test]
fn no_byte_may_change() {
    for (program, budget_runs, stop) in
        [(locks(), Some(2), Stop::BudgetRuns), (locks(), None, Stop::Exhausted), (racy(), None, Stop::Bug)]
    {
        let place = tempfile::tempdir().expect("a directory");
        let kept = || settings(place.path());
        let first = run(&program, Settings { budget_runs, ..kept() });
        assert_eq!(first.stop, stop, "{:?}", first.error);
        let path = place.path().join("campaign.json");
        let good = std::fs::read(&path).expect("the campaign");
        for at in 0..good.len() {
            let mut bytes = good.clone();
            bytes[at] ^= 1 << (at % 8);
            for bad in [&bytes[..], &good[..at]] {
                std::fs::write(&path, bad).expect("a file");
                let refused = run(&program, kept());
                assert_eq!((refused.verdict, refused.stop), (Verdict::Error, Stop::Failed), "byte {at}");
                assert!(refused.error.is_some_and(|error| error.contains("--resume")), "byte {at}: what to do");
                if at % 64 != 0 {
                    break; // cutting is seen by the length
                }
            }
        }
        std::fs::write(&path, &good).expect("a file");
        let (again, alone) = (run(&program, kept()), run(&program, Settings { resume: None, ..kept() }));
        assert_eq!((again.verdict, again.progress.runs), (alone.verdict, alone.progress.runs));
    }
}

#[test]
fn max_runs_counts_the_whole_campaign() {
    let place = tempfile::tempdir().expect("a directory");
    let at_most = |max_runs| run(&locks(), Settings { max_runs, ..settings(place.path()) });
    for (most, runs) in [(2, 2), (2, 2), (1, 2), (4, 4), (5, 5)] {
        let summary = at_most(Some(most));
        assert_eq!((summary.stop, summary.progress.executed()), (Stop::MaxRuns, runs), "at most {most}");
    }
    assert_eq!((at_most(None).verdict, at_most(Some(1)).verdict), (Verdict::Verified, Verdict::Verified));
}

#[test]
fn one_at_a_time() {
    let place = tempfile::tempdir().expect("a directory");
    let mut subject = InMemory(Model::new(gabion_model::Program::new(locks()), 1));
    let mut tried = 0;
    let first = Campaign::new(&mut subject, settings(place.path())).run(&mut |_: &Live<'_>| {
        let second = run(&locks(), settings(place.path()));
        assert_eq!(second.stop, Stop::Failed);
        assert!(second.error.is_some_and(|error| error.contains("another gabion is at work on it")));
        tried += 1;
    });
    assert_eq!(first.verdict, Verdict::Verified);
    assert!(tried > 0, "nobody looked while it ran");
    assert_eq!(run(&locks(), settings(place.path())).verdict, Verdict::Verified, "the lock is given back");
}
