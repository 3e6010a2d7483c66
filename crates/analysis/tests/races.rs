//! Data races against a slow and plain oracle, on generated programs.
//!
//! `PROPTEST_CASES` says how many programs for each property, `PROPTEST_RNG_SEED` which ones.

mod oracle;

use gabion_analysis::{Detector, HappensBefore, Race, Stronger};
use gabion_model::generate::{Case, Profile, cases};
use gabion_model::{Model, Program, Statement, Value};
use gabion_search::{Options, Reduction, Search};
use gabion_trace::{AccessKind, Event, OpKind, Plan, PointSet, Recording, Span, Trace};
use proptest::prelude::*;
use std::collections::BTreeSet;

const PROFILES: [Profile; 6] =
    [Profile::Memory, Profile::Everything, Profile::Choices, Profile::Exits, Profile::Coarse, Profile::Recycled];

/// First instruction and second, as they came.
type Pairs = BTreeSet<(u64, u64)>;

fn any_case() -> impl Strategy<Value = Case> {
    prop::sample::select(PROFILES.to_vec()).prop_flat_map(|profile| cases(profile, 400))
}

fn each_run(case: &Case, reduction: Reduction, mut each: impl FnMut(&Trace)) {
    each_run_and_shared(case, reduction, |trace, _| each(trace));
}

/// Every run, with how many steps it shares with the one before.
fn each_run_and_shared(case: &Case, reduction: Reduction, mut each: impl FnMut(&Trace, usize)) {
    let model = Model::new(case.program.clone(), 1);
    let recycle = case.recycle;
    let template = Plan { points: case.points, recording: Recording::Accesses, recycle, ..Plan::default() };
    let mut search = Search::new(template, Options { reduction, ..Options::default() });
    while let Some(plan) = search.next() {
        let trace = model.run_one(&plan);
        search.observe(&trace).expect("the model follows its plans");
        each(&trace, search.shared());
    }
}

fn found(relation: HappensBefore, trace: &Trace) -> Pairs {
    let mut pairs = Pairs::new();
    Detector::new(relation).judge(trace, 0, |race| _ = pairs.insert((race.first.access.pc, race.second.access.pc)));
    pairs
}

/// Parts of a variable, and one that reaches into the next: where they begin, and their bytes.
const PARTS: [(u64, u32); 6] = [(0, 8), (0, 4), (4, 4), (2, 2), (6, 1), (0, 16)];

/// The same run with other memory orders, other sizes of atomic accesses, and with fences.
fn reordered(trace: &Trace, mut random: u64) -> Trace {
    let mut next = || {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        random >> 33
    };
    let mut other = trace.clone();
    let mut events = Vec::new();
    for step in &mut other.steps {
        let mut span = Span::at(events.len());
        for event in step.events.of(&trace.events) {
            let mut event = *event;
            if next().is_multiple_of(4) {
                let object = gabion_trace::Address(0);
                let order = (next() % 6) as u32;
                span.push(&mut events, Event::Op { op: OpKind::Fence, object, result: order, pc: 0 });
            }
            if let Event::Access { access, .. } = &mut event
                && access.kind.has(AccessKind::ATOMIC)
            {
                let orders = AccessKind::ACQUIRE.with(AccessKind::RELEASE).0;
                access.kind = AccessKind(access.kind.0 & !orders | (next() as u8 & orders));
                let halves =
                    AccessKind(if next().is_multiple_of(2) { AccessKind::ACQUIRE.0 } else { AccessKind::RELEASE.0 });
                access.kind = if next().is_multiple_of(2) { access.kind.with(halves) } else { access.kind };
                if next().is_multiple_of(2) {
                    let (from, size) = PARTS[next() as usize % PARTS.len()];
                    (access.address.0, access.size) = (access.address.0 + from, size);
                }
            }
            span.push(&mut events, event);
        }
        step.events = span;
    }
    other.events = events;
    other
}

/// The same run with stronger orders.
fn with_orders(trace: &Trace, stronger: &[Stronger]) -> Trace {
    let mut other = trace.clone();
    for one in stronger {
        if let Event::Access { access, .. } = &mut other.events[one.side.event as usize] {
            access.kind = access.kind.with(one.lacks);
        }
    }
    other
}

/// The same run with the strongest orders there are.
fn with_all_orders(trace: &Trace) -> Trace {
    let mut other = trace.clone();
    for event in &mut other.events {
        if let Event::Access { access, .. } = event
            && access.kind.has(AccessKind::ATOMIC)
        {
            access.kind = access.kind.with(AccessKind::ACQUIRE).with(AccessKind::RELEASE);
        }
    }
    other
}

/// What is told orders the race, all of it is needed, and nothing is told only where nothing would order it.
fn orders_are_minimal(trace: &Trace, race: &Race) -> bool {
    let told = race.strengthen(trace, |_| true);
    let is_ordered = |trace: &Trace| oracle::is_ordered(trace, race.first.event, race.second.event);
    let less = |left_out: usize| {
        let others: Vec<Stronger> =
            told.iter().enumerate().filter(|(i, _)| *i != left_out).map(|(_, one)| *one).collect();
        is_ordered(&with_orders(trace, &others))
    };
    match told.len() {
        0 => !is_ordered(&with_all_orders(trace)),
        all => is_ordered(&with_orders(trace, &told)) && !(0..all).any(less),
    }
}

fn config(cases: u32) -> ProptestConfig {
    let asked = std::env::var("PROPTEST_CASES").ok().and_then(|n| n.parse().ok());
    ProptestConfig { cases: asked.unwrap_or(cases), failure_persistence: None, ..ProptestConfig::default() }
}

/// What a detector tells in a whole search: all pairs, and those whose memory was one block.
fn told(case: &Case, relation: HappensBefore) -> (Pairs, Pairs) {
    let mut detector = Detector::new(relation);
    let (mut all, mut of_one_block) = (Pairs::new(), Pairs::new());
    each_run(case, Reduction::Optimal, |trace| {
        detector.judge(trace, 0, |race| {
            let pair = (race.first.access.pc, race.second.access.pc);
            all.insert(pair);
            if !race.recycled {
                of_one_block.insert(pair);
            }
        });
    });
    (all, of_one_block)
}

fn no_race_is_hidden(case: &Case) -> Result<(), TestCaseError> {
    let mut all = Pairs::new();
    each_run(case, Reduction::None, |trace| all.extend(oracle::races(trace)));
    let (pure, limited) = (told(case, HappensBefore::Pure).0, told(case, HappensBefore::Limited).0);
    prop_assert_eq!(&pure, &all);
    prop_assert!(limited.is_superset(&all), "missing: {:?}", all.difference(&limited).collect::<Vec<_>>());
    Ok(())
}

proptest! {
    #![proptest_config(config(300))]

    /// Exactly when two conflicting accesses are unordered.
    #[test]
    fn pure_is_exact(case in any_case(), random: u64) {
        let mut failed = None;
        each_run(&case, Reduction::Optimal, |trace| {
            for trace in [trace.clone(), reordered(trace, random)] {
                let (expected, got) = (oracle::races(&trace), found(HappensBefore::Pure, &trace));
                if expected != got {
                    failed.get_or_insert((expected, got, trace));
                }
            }
        });
        prop_assert!(failed.is_none(), "{failed:?}");
    }

    /// Which orders would order a race.
    #[test]
    fn stronger_orders(case in any_case(), random: u64) {
        let mut failed = None;
        each_run(&case, Reduction::Optimal, |trace| {
            let trace = reordered(trace, random);
            Detector::new(HappensBefore::Pure).judge(&trace, 0, |race| {
                if !orders_are_minimal(&trace, &race) {
                    failed.get_or_insert((race, race.strengthen(&trace, |_| true), trace.clone()));
                }
            });
        });
        prop_assert!(failed.is_none(), "{failed:?}");
    }

    /// What a run shares with the one before need not be looked at again.
    #[test]
    fn only_what_is_new_is_looked_at(case in any_case(), dpor: bool) {
        for relation in [HappensBefore::Pure, HappensBefore::Limited] {
            let (mut whole, mut new) = (Detector::new(relation), Detector::new(relation));
            let mut failed = None;
            each_run_and_shared(&case, if dpor { Reduction::Dpor } else { Reduction::Optimal }, |trace, shared| {
                let (mut expected, mut got) = (Vec::new(), Vec::new());
                whole.judge(trace, 0, |race| expected.push(race));
                new.judge(trace, shared, |race| got.push(race));
                if expected != got {
                    failed.get_or_insert((expected, got, trace.clone()));
                }
            });
            prop_assert!(failed.is_none(), "{failed:?}");
        }
    }

    /// The runs that a reduction picks show every race that any run shows; limited happens-before shows them too.
    #[test]
    fn reduction_hides_no_race(case in any_case()) {
        no_race_is_hidden(&case)?;
    }

    /// A race that some run shows within one block is told as such, whatever shows where memory is recycled.
    #[test]
    fn recycled_memory_hides_no_race(case in cases(Profile::Recycled, 400)) {
        let mut real = Pairs::new();
        each_run(&case, Reduction::None, |trace| real.extend(oracle::races_of_one_block(trace)));
        for relation in [HappensBefore::Pure, HappensBefore::Limited] {
            let told = told(&case, relation).1;
            prop_assert!(told.is_superset(&real), "missing: {:?}", real.difference(&told).collect::<Vec<_>>());
        }
    }
}

/// A step that posts a semaphore and goes on: who waited for the post did not wait for the rest.
#[test]
fn what_follows_a_post_in_its_step_is_not_waited_for() {
    use Statement::*;
    let main = vec![Create(1), SemWait(0), Write(0, Value::Const(1))];
    let program = Program::new(vec![main, vec![SemPost(0), Update(0, 1, 0)]]);
    no_race_is_hidden(&Case { program, points: PointSet::VOLUNTARY, recycle: false }).expect("the race is told");
}

/// Two threads where memory is recycled; the pair of accesses, one of each, that the report on iterative deepening is about.
fn recycling(first: Vec<Statement>, second: Vec<Statement>) -> Case {
    use Statement::{Create, Join};
    let main = vec![Create(1), Create(2), Join(0), Join(1)];
    Case { program: Program::new(vec![main, first, second]), points: Plan::default().points, recycle: true }
}

/// The write that is marked, in either thread.
const FIRST: Value = Value::Const(100);
const SECOND: Value = Value::Const(200);

/// Where a body of the case writes a value to a block.
fn pc(case: &Case, value: Value) -> u64 {
    let marked = |body: &Vec<Statement>| body.iter().position(|s| matches!(s, Statement::WriteAt(_, v) if *v == value));
    let found = case.program.bodies.iter().enumerate().find_map(|(body, all)| marked(all).map(|at| (body, at)));
    let (body, at) = found.expect("one of the bodies has the write");
    0x10_0000 * (body as u64 + 1) + at as u64
}

/// Is the pair seen across recycled memory in some run, and is it told within one block?
fn seen(case: &Case, relation: HappensBefore) -> (bool, bool) {
    let (a, b) = (pc(case, FIRST), pc(case, SECOND));
    let is_pair = |pair: (u64, u64)| pair == (a, b) || pair == (b, a);
    let mut across = false;
    each_run(case, Reduction::Optimal, |trace| {
        Detector::new(relation).judge(trace, 0, |race| {
            across |= race.recycled && is_pair((race.first.access.pc, race.second.access.pc));
        });
    });
    (across, told(case, relation).1.into_iter().any(is_pair))
}

/// Figure 2: memory that one thread gave back is written by the next that gets it.
#[test]
fn recycled_memory_alone_is_no_race() {
    use Statement::*;
    let case = recycling(vec![Alloc(0), WriteAt(0, FIRST), Free(0)], vec![Alloc(0), WriteAt(0, SECOND)]);
    assert_eq!(seen(&case, HappensBefore::Limited), (true, false));
    assert_eq!(seen(&case, HappensBefore::Pure), (false, false));
}

/// Figures 3, 6 and 7: what looks like recycled memory, and races all the same.
#[test]
fn races_that_look_like_recycled_memory() {
    use Statement::*;
    let publish = |register| [Store(0, Value::of(register)), Store(1, Value::Const(1))];
    let pointer = recycling(
        [&[Alloc(0)][..], &publish(0), &[WriteAt(0, FIRST), Free(0)]].concat(),
        vec![Load(1, 0), IfEq(0, 1, 3), Load(0, 3), Alloc(1), WriteAt(3, SECOND)],
    );
    // The pointer is itself in a block that is given back.
    let chain = recycling(
        [&[Alloc(0), Alloc(1), WriteAt(1, Value::of(0))][..], &publish(1), &[Free(1), WriteAt(0, FIRST), Free(0)]]
            .concat(),
        vec![Load(1, 0), IfEq(0, 1, 5), Load(0, 2), Alloc(1), ReadAt(2, 3), Alloc(1), WriteAt(3, SECOND)],
    );
    // The first thread's first block is so far below the second's.
    let neighbour = Value::Sum(0, -0x1_0000);
    let overrun = recycling(
        vec![Alloc(0), WriteAt(0, FIRST), Free(0)],
        vec![Alloc(0), Set(1, neighbour), Alloc(2), WriteAt(1, SECOND)],
    );
    for case in [pointer, chain, overrun] {
        assert_eq!(seen(&case, HappensBefore::Limited), (true, true), "{:?}", case.program);
        assert!(seen(&case, HappensBefore::Pure).1, "{:?}", case.program);
    }
}
