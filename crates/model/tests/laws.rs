//! Laws that the model must keep for what is measured against it to mean anything.

use gabion_model::generate::{Case, Profile, cases};
use gabion_model::{Exhaustive, Model, Program, Statement, order};
use gabion_trace::{Ending, Event, Mismatch, Plan, PointSet, RacePoint, Recording, Tail, ThreadId};
use proptest::prelude::*;

const MOST: u64 = 2_000;

fn any_case() -> impl Strategy<Value = Case> {
    prop_oneof![
        cases(Profile::Memory, MOST),
        cases(Profile::Everything, MOST),
        cases(Profile::Choices, MOST),
        cases(Profile::Exits, MOST),
        cases(Profile::Coarse, MOST),
        cases(Profile::Strangers, MOST),
        cases(Profile::Recycled, MOST),
    ]
}

fn config(cases: u32) -> ProptestConfig {
    let asked = std::env::var("PROPTEST_CASES").ok().and_then(|n| n.parse().ok());
    ProptestConfig { cases: asked.unwrap_or(cases), failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config(300))]

    /// The runs of one order are exactly the sequences of its steps that respect it: what the order leaves unordered
    /// commutes, and what it orders is all that does not.
    #[test]
    fn an_order_is_the_set_of_its_sequences(case in any_case()) {
        let how = Exhaustive { points: case.points, recycle: case.recycle, ..Exhaustive::default() };
        for (runs, extensions) in how.extensions(&case.program).expect("no limit") {
            prop_assert_eq!(runs, extensions);
        }
    }

    /// A trace's choices, as a plan, give the same trace, and a fair tail at most another run.
    #[test]
    fn a_trace_replays(case in any_case(), picks in prop::collection::vec(0u32..5, 0..8), fair in any::<bool>()) {
        let (model, recycle) = (Model::new(case.program, 1), case.recycle);
        let tail = if fair { Tail::Fair } else { Tail::Default };
        let mut plan = Plan { points: case.points, recording: Recording::Accesses, tail, recycle, ..Plan::default() };
        let mut trace = model.run_one(&plan);
        for (at, pick) in picks.iter().enumerate().take_while(|(at, _)| *at < 8) {
            let Some(decision) = trace.decisions.get(at) else { break };
            let values: Vec<u32> = decision.values.iter().collect();
            let mut choices = trace.choices();
            choices.truncate(at + 1);
            choices[at].value = values[*pick as usize % values.len()];
            choices[at].op = gabion_trace::OpKind::Run;
            plan = Plan { choices, threads: trace.threads.clone(), ..plan };
            trace = model.run_one(&plan);
            prop_assert_ne!(trace.outcome.ending, Ending::Diverged, "{}", trace.outcome.message);
        }
        let full = Plan { choices: trace.choices(), ..plan.clone() };
        prop_assert_eq!(&model.run_one(&full), &trace);
        let skip = Plan { mismatch: Mismatch::Skip, ..full.clone() };
        prop_assert_eq!(&model.run_one(&skip), &trace);
        prop_assert_eq!(order(&model.run_one(&full)), order(&trace));
        let hash = Plan { recording: Recording::Hash, ..full };
        prop_assert_eq!(model.run_one(&hash).hash, trace.hash);
        prop_assert_eq!(trace.cost as usize, trace.steps.len() + usize::from(trace.length > trace.steps.len() as u64));
    }
}

/// Two threads pass the same instruction: it is a point in all, or in one.
#[test]
fn a_named_instruction_can_be_one_threads() {
    let main = vec![Statement::Create(1), Statement::Create(1), Statement::Join(0), Statement::Join(1)];
    let program =
        Program { bodies: vec![main, vec![Statement::Read(1, 0), Statement::Read(0, 0)]], ..Program::default() };
    let model = Model::new(program, 1);
    let plan = Plan { recording: Recording::Accesses, ..Plan::default() };
    let everywhere = model.run_one(&plan);
    let pcs = everywhere.events.iter().filter_map(|event| match event {
        Event::Access { access, .. } => Some(access.pc),
        _ => None,
    });
    let pc = pcs.max().expect("the second read");
    let steps = |thread| {
        let races = vec![RacePoint { pc, thread }];
        let trace = model.run_one(&Plan { races, points: PointSet::VOLUNTARY, ..plan.clone() });
        [1, 2].map(|id| trace.steps.iter().filter(|s| s.thread == ThreadId(id)).count())
    };
    let [one, two] = steps(None);
    assert_eq!(steps(Some(ThreadId(1))), [one, two - 1]);
    assert_eq!(steps(Some(ThreadId(2))), [one - 1, two]);
    assert_eq!(steps(Some(ThreadId::MAIN)), [one - 1, two - 1]);
}
