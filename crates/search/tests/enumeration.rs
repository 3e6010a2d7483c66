//! The search against brute force: the same runs, none twice, whatever the batch.

mod model;

use gabion_search::{DepthFirst, Observed, SearchError};
use gabion_trace::{Ending, Limits, Plan, Target, Trace};
use model::{Model, Op, Program, Run};
use proptest::prelude::*;
use std::collections::BTreeSet;

/// Explores a program; gives the runs that count, in order, and the search.
fn explore(program: &Program, batch: usize) -> (Vec<Run>, DepthFirst) {
    let mut search = DepthFirst::new(Plan::default());
    let mut target = Model::new(program.clone(), batch);
    let mut counted = Vec::new();
    loop {
        let plans: Vec<Plan> = std::iter::from_fn(|| search.next()).take(batch).collect();
        if plans.is_empty() {
            break;
        }
        let mut traces = Vec::new();
        let first = target.runs.len();
        target.run(&plans, &mut traces).expect("the model runs everything");
        for (offset, trace) in traces.iter().enumerate() {
            match search.observe(trace).expect("the model follows its plans") {
                Observed::Explored | Observed::Blocked | Observed::Cut => {
                    counted.push(target.runs[first + offset].clone())
                }
                Observed::Restarted => counted.clear(),
                Observed::Ignored => {}
            }
        }
    }
    assert!(search.is_exhausted());
    (counted, search)
}

fn check(program: &Program) {
    let expected = program.all_runs();
    for batch in [1, 3, 16] {
        let (runs, search) = explore(program, batch);
        let set: BTreeSet<Run> = runs.iter().cloned().collect();
        assert_eq!(set.len(), runs.len(), "a run was made twice with batch {batch}: {program:?}");
        assert_eq!(set, expected, "batch {batch}: {program:?}");
        assert_eq!(search.progress().runs, expected.len() as u64);
        assert_eq!(runs, explore(program, batch).0, "the order is the same each time");
    }
}

fn operation(bodies: usize) -> impl Strategy<Value = Op> {
    prop_oneof![
        3 => Just(Op::Work),
        2 => (0usize..2).prop_map(Op::Lock),
        2 => (0usize..2).prop_map(Op::Unlock),
        1 => (1..bodies).prop_map(Op::Spawn),
        1 => Just(Op::Wait),
        2 => Just(Op::Signal),
        1 => Just(Op::Fail),
    ]
}

/// Main starts both others; bodies may start the last one too, so numbers depend on the schedule.
fn program() -> impl Strategy<Value = Program> {
    let body = |most: usize| prop::collection::vec(operation(4), 0..most);
    let leaf = prop::collection::vec(prop_oneof![Just(Op::Work), Just(Op::Signal), Just(Op::Wait)], 0..2);
    (body(2), body(3), body(3), leaf).prop_map(|(mut main, one, two, leaf)| {
        let fits = |ops: Vec<Op>| -> Vec<Op> {
            // Only the leaf is started from bodies, or programs would not end.
            ops.into_iter().map(|op| if matches!(op, Op::Spawn(_)) { Op::Spawn(3) } else { op }).collect()
        };
        main = fits(main);
        main.splice(0..0, [Op::Spawn(1), Op::Spawn(2)]);
        Program(vec![main, fits(one), fits(two), leaf])
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]
    #[test]
    fn every_run_once_whatever_the_batch(program in program()) {
        prop_assume!(program.0.iter().map(Vec::len).sum::<usize>() <= 10);
        check(&program);
    }
}

#[test]
fn interleavings_of_two_threads_are_binomial() {
    let work = vec![Op::Work; 4];
    // Main only starts the second thread, so that 4 and 4 operations interleave freely after it.
    let program = Program(vec![[vec![Op::Spawn(1)], work.clone()].concat(), work]);
    assert_eq!(explore(&program, 1).0.len(), 70);
    check(&program);
}

#[test]
fn a_signal_wakes_each_waiter() {
    check(&Program(vec![
        vec![Op::Spawn(1), Op::Spawn(1), Op::Spawn(1), Op::Signal, Op::Signal],
        vec![Op::Wait, Op::Work],
    ]));
}

#[test]
fn a_shared_stack_begins_the_space_again() {
    let program =
        Program(vec![vec![Op::Spawn(1), Op::Work, Op::TouchMain], vec![Op::Work, Op::TouchMain, Op::TouchMain]]);
    check(&program);
    let (_, search) = explore(&program, 3);
    assert!(search.progress().abandoned > 0, "the first runs did not know");
    assert_eq!(search.template().shared_stacks.len(), 1);
}

#[test]
fn numbers_of_threads_may_clash_between_plans_that_are_out_together() {
    // Main fails at once in the first run; in the next two, out together, a different thread becomes number 3.
    let workers = [vec![Op::Spawn(3), Op::Work], vec![Op::Spawn(3)], vec![Op::Work]];
    check(&Program([&[vec![Op::Spawn(1), Op::Spawn(2), Op::Fail]], &workers[..]].concat()));
}

#[test]
fn the_frontier_does_not_grow_with_the_runs() {
    let program = Program(vec![[vec![Op::Spawn(1)], vec![Op::Work; 6]].concat(), vec![Op::Work; 6]]);
    for batch in [1, 16] {
        let mut search = DepthFirst::new(Plan::default());
        let mut target = Model::new(program.clone(), batch);
        let mut most = 0;
        loop {
            let plans: Vec<Plan> = std::iter::from_fn(|| search.next()).take(batch).collect();
            if plans.is_empty() {
                break;
            }
            let mut traces = Vec::new();
            target.run(&plans, &mut traces).expect("runs");
            traces.iter().for_each(|t| assert_eq!(search.observe(t).expect("follows"), Observed::Explored));
            most = most.max(search.progress().frontier);
        }
        let progress = search.progress();
        assert_eq!(progress.runs, 924);
        assert!(most <= batch * progress.depth, "{most} open choices with batch {batch}");
    }
}

#[test]
fn cut_runs_are_counted_apart() {
    let program = Program(vec![vec![Op::Spawn(1), Op::Work, Op::Work], vec![Op::Work; 2]]);
    let limits = Limits { steps: 3, ..Limits::default() };
    let mut search = DepthFirst::new(Plan { limits, ..Plan::default() });
    let target = Model::new(program, 1);
    while let Some(plan) = search.next() {
        let (trace, _) = target.run_one(&plan);
        assert_eq!(trace.outcome.ending, Ending::TooManySteps);
        assert_eq!(search.observe(&trace).expect("follows"), Observed::Cut);
    }
    assert_eq!(search.progress().runs, 0);
    assert_eq!(search.progress().cut, 4);
}

#[test]
fn leaving_the_plan_is_an_error() {
    let program = Program(vec![vec![Op::Spawn(1), Op::Work], vec![Op::Work]]);
    let target = Model::new(program, 1);
    let mut search = DepthFirst::new(Plan::default());
    let first = search.next().expect("a first plan");
    search.observe(&target.run_one(&first).0).expect("follows");
    let second = search.next().expect("a second plan");
    let wrong: Trace = Trace { id: second.id, ..target.run_one(&first).0 };
    let error = search.observe(&wrong).expect_err("the first run again is not the second");
    assert!(matches!(error, SearchError::Diverged { at: 0, .. }), "{error}");
    assert!(matches!(search.observe(&wrong), Err(SearchError::Unasked(_))));
}
