//! A search for smaller runs against every run there is, on generated programs: whatever can be reached is reached with the
//! fewest switches and then the fewest threads that the preemptions allow.
//!
//! `PROPTEST_CASES` says how many programs, `PROPTEST_RNG_SEED` which ones.

use gabion_model::generate::{Case, Profile, cases};
use gabion_model::{Final, Model};
use gabion_search::{Extent, Observed, Options, Reduction, Search};
use gabion_trace::{Plan, Recording};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// Most interleavings of a generated program.
const MOST: u64 = 800;

/// How large the runs to each final state are: preemptions come first.
type Sizes = BTreeMap<Final, BTreeSet<(usize, Extent)>>;

/// Of all runs of a search.
fn sizes(case: &Case, options: Options) -> Sizes {
    let recycle = case.recycle;
    let template = Plan { points: case.points, recording: Recording::Accesses, recycle, ..Plan::default() };
    let model = Model::new(case.program.clone(), 1);
    let mut search = Search::new(template, options);
    let mut found = Sizes::new();
    while let Some(plan) = search.next() {
        let (trace, run) = model.run_fully(&plan);
        if search.observe(&trace).expect("the model follows its plans") == Observed::Restarted {
            found.clear();
            continue;
        }
        found.entry(run.end).or_default().insert((trace.preemptions(), Extent::of(&trace)));
    }
    assert!(search.is_exhausted());
    found
}

fn any_case() -> BoxedStrategy<Case> {
    let all = [Profile::Memory, Profile::Everything, Profile::Choices, Profile::Exits, Profile::Coarse];
    prop::sample::select(all.to_vec()).prop_flat_map(|profile| cases(profile, MOST)).boxed()
}

/// The final states that smaller runs lead to.
fn below(sizes: &Sizes, most: usize, extent: Extent) -> Vec<&Final> {
    let small = |size: &(usize, Extent)| size.0 <= most && size.1 < extent;
    sizes.iter().filter(|(_, sizes)| sizes.iter().any(small)).map(|(end, _)| end).collect()
}

proptest! {
    #[test]
    fn nothing_smaller_is_missed(case in any_case()) {
        let all = sizes(&case, Options { reduction: Reduction::None, ..Options::default() });
        for (end, (preemptions, extent)) in all.iter().filter_map(|(end, sizes)| Some((end, *sizes.first()?))) {
            let just = Extent { threads: extent.threads + 1, ..extent };
            let bound = Some(preemptions as u32);
            let within = |below| Options { reduction: Reduction::HbCache, bound, below: Some(below), ..Options::default() };
            let found = sizes(&case, within(just));
            prop_assert_eq!(found.get(end).and_then(BTreeSet::first), Some(&(preemptions, extent)));
            let fewer = sizes(&case, within(extent));
            prop_assert_eq!(below(&fewer, preemptions, extent), below(&all, preemptions, extent));
        }
    }
}
