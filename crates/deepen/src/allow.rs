//! Findings that are no bugs because the user said so (`--allow`), and the use of freed memory behind a lock that was freed.
//!
//! A run ends with an allowed finding as with any other, so what lies behind it there is unexplored: each is a caveat that limits
//! the verdict. One finding does not end the run where it is allowed everywhere, a block that is freed with a held lock in it.

use crate::CampaignError;
use crate::campaign::Campaign;
use crate::episode::Failing;
use crate::finding::{Finding, Kind, Signature, replay_plan};
use gabion_trace::{Caveat, CaveatKind, Coverage, Ending, Event, OpKind, Plan, PlanId, Recording, Region};
use serde::{Deserialize, Serialize};

/// A kind of finding that is no bug.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Allow {
    /// The kind.
    pub kind: Kind,
    /// Only in this code, or what it calls.
    pub code: Option<Vec<Region>>,
}

/// An allowed finding that runs showed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Borne {
    signature: Signature,
    kind: Kind,
    location: Option<String>,
    /// Runs that ended with it.
    runs: u64,
}

impl Campaign<'_> {
    /// Is it a known finding that is no bug? Then this run is counted.
    pub(crate) fn bears(&mut self, signature: &Signature) -> bool {
        let known = self.borne.iter_mut().find(|borne| borne.signature == *signature);
        known.map(|borne| borne.runs += 1).is_some()
    }

    /// Is the finding no bug by option? Then it is noted as one that is borne.
    pub(crate) fn allows(&mut self, finding: &Finding) -> bool {
        let Finding { kind, signature, location, .. } = finding;
        let allowed = self.is_allowed(*kind, signature);
        if allowed {
            let (signature, location) = (signature.clone(), location.clone());
            self.borne.push(Borne { signature, kind: *kind, location, runs: 1 });
        }
        allowed
    }

    fn is_allowed(&self, kind: Kind, signature: &Signature) -> bool {
        let within = |code: &Vec<Region>| {
            let inside = |pc: u64| code.iter().any(|region| (region.from..region.to).contains(&pc));
            signature.instructions().any(inside)
        };
        self.settings.allowed.iter().any(|allow| allow.kind == kind && allow.code.as_ref().is_none_or(within))
    }

    /// A block was freed with a held lock in it. What most programs do next is to use that lock: the run is made again and goes on after
    /// the free. If it comes to a use of freed memory, that run is given, which tells more.
    pub(crate) fn beyond_the_free(&mut self, failing: &Failing) -> Result<Option<Failing>, CampaignError> {
        let Failing { plan, trace, .. } = failing;
        let freed = |event: &Event| matches!(event, Event::Op { op: OpKind::Free, .. });
        if trace.outcome.ending != Ending::LockMisuse || plan.free_held || !trace.events.last().is_some_and(freed) {
            return Ok(None);
        }
        let on = Plan { free_held: true, ..plan.clone() };
        let again =
            Plan { id: PlanId(plan.id.0 | BEYOND), ..replay_plan(&on, trace, plan.recording.max(Recording::Accesses)) };
        let mut traces = Vec::new();
        self.subject.run(std::slice::from_ref(&again), &mut traces)?;
        let trace = traces.pop().expect("internal error: a trace for every plan");
        let used = trace.outcome.ending == Ending::UseAfterFree;
        Ok(used.then_some(Failing { plan: on, trace, kind: Kind::UseAfterFree }))
    }

    /// What a verdict does not say because of findings that were allowed.
    pub(crate) fn allowed_caveats(&self, coverage: Coverage) -> Vec<Caveat> {
        let told = |borne: &Borne| {
            let place = borne.location.as_deref().map_or(String::new(), |place| format!(" at {place}"));
            let kind = borne.kind.name();
            let words = match borne.runs {
                // A run with a race goes on, and who has seen one does not count them.
                _ if borne.kind == Kind::Race => format!("{kind}{place}; the runs went on after it"),
                1 => format!("{kind}{place}, in 1 run, the rest of which was not explored"),
                runs => format!("{kind}{place}, in {runs} runs, the rest of which was not explored"),
            };
            Caveat::new(CaveatKind::Allowed, words)
        };
        let freed = "lock-misuse, a block freed with a held lock in it; the runs went on after that";
        let went_on = coverage.has(Coverage::FREED_HELD).then(|| Caveat::new(CaveatKind::Allowed, freed));
        self.borne.iter().map(told).chain(went_on).collect()
    }
}

/// Bit that sets the ids of these runs apart from those of the search.
const BEYOND: u64 = 1 << 61;
