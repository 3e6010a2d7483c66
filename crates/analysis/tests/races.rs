//! Data races against a slow and plain oracle, on generated programs.

mod oracle;

use gabion_analysis::{Detector, HappensBefore};
use gabion_model::Model;
use gabion_model::generate::{Case, Profile, cases};
use gabion_search::{Options, Reduction, Search};
use gabion_trace::{AccessKind, Event, OpKind, Plan, Recording, Span, Trace};
use proptest::prelude::*;
use std::collections::BTreeSet;

const PROFILES: [Profile; 5] =
    [Profile::Memory, Profile::Everything, Profile::Choices, Profile::Exits, Profile::Coarse];

/// First instruction and second, as they came.
type Pairs = BTreeSet<(u64, u64)>;

fn any_case() -> impl Strategy<Value = Case> {
    prop::sample::select(PROFILES.to_vec()).prop_flat_map(|profile| cases(profile, 400))
}

fn each_run(case: &Case, reduction: Reduction, mut each: impl FnMut(&Trace)) {
    let model = Model::new(case.program.clone(), 1);
    let template = Plan { points: case.points, recording: Recording::Accesses, ..Plan::default() };
    let mut search = Search::new(template, Options { reduction, ..Options::default() });
    while let Some(plan) = search.next() {
        let trace = model.run_one(&plan);
        search.observe(&trace).expect("the model follows its plans");
        each(&trace);
    }
}

fn found(relation: HappensBefore, trace: &Trace) -> Pairs {
    let mut pairs = Pairs::new();
    Detector::new(relation).judge(trace, |race| _ = pairs.insert((race.first.access.pc, race.second.access.pc)));
    pairs
}

/// The same run with other memory orders, and with fences.
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
            }
            span.push(&mut events, event);
        }
        step.events = span;
    }
    other.events = events;
    other
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

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

    /// The runs that a reduction picks show every race that any run shows; limited happens-before shows them too.
    #[test]
    fn reduction_hides_no_race(case in any_case()) {
        let (mut all, mut pure, mut limited) = (Pairs::new(), Pairs::new(), Pairs::new());
        each_run(&case, Reduction::None, |trace| all.extend(oracle::races(trace)));
        let mut detectors = [Detector::new(HappensBefore::Pure), Detector::new(HappensBefore::Limited)];
        each_run(&case, Reduction::Optimal, |trace| {
            detectors[0].judge(trace, |race| _ = pure.insert((race.first.access.pc, race.second.access.pc)));
            detectors[1].judge(trace, |race| _ = limited.insert((race.first.access.pc, race.second.access.pc)));
        });
        prop_assert_eq!(&pure, &all);
        prop_assert!(limited.is_superset(&all), "missing: {:?}", all.difference(&limited).collect::<Vec<_>>());
    }
}
