//! Data races met in a campaign: each pair of instructions once, with names.

use crate::Points;
use crate::naming::Namer;
use crate::orders::would_order;
pub use crate::racer::Racer;
use crate::racer::{object, sets_up};
use gabion_analysis::{Detector, HappensBefore, Race, Side};
use gabion_trace::{NamedRace, Region, Trace};
use std::collections::{HashMap, HashSet};

/// What a data race means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnRace {
    /// It is told.
    #[default]
    Report,
    /// It is a bug.
    Deny,
    /// Nobody looks for any.
    Ignore,
}

impl OnRace {
    /// Each with its name on the command line.
    pub const NAMES: &'static [(&'static str, OnRace)] =
        &[("report", OnRace::Report), ("deny", OnRace::Deny), ("ignore", OnRace::Ignore)];
}

/// What became of a race. The words are those of the contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum RaceStatus {
    /// It was seen in a run that fails.
    Buggy,
    /// Both orders were run wherever they could matter, and nothing failed.
    Benign,
    /// The accesses have only one order.
    False,
    /// Nothing of that is known.
    Untested,
    /// It was only seen where the memory was given back and allocated again in between.
    Realloc,
}

/// A pair of instructions that race.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Candidate {
    /// The two as they first came.
    pub racers: [Racer; 2],
    /// What they race for.
    pub object: String,
    /// Seen in both orders?
    pub both_orders: bool,
    /// Seen in the very first run?
    pub first_run: bool,
    /// One of them sets something up or takes it down: probably before others know of it.
    pub sets_up: bool,
    /// Which memory orders would have ordered the two, if that is all that is missing.
    #[serde(default)]
    pub would_order: Option<String>,
    /// What became of it.
    pub status: RaceStatus,
    /// Seen in a run that fails, which is explained by one of the two.
    #[serde(default)]
    pub takes_part: bool,
    /// The points of the job that saw it first.
    reporting: Points,
    /// Seen where the memory was the same block all the time.
    plain: bool,
    /// Seen in a run that failed.
    failed: bool,
    /// Nothing in the language ordered them in a run.
    unordered: bool,
}

impl Candidate {
    /// In words.
    pub fn message(&self) -> String {
        let [first, second] = &self.racers;
        format!("nothing orders two accesses to {}: {}, {}", self.object, first.words(), second.words())
    }
}

impl Candidate {
    /// For a file.
    pub(crate) fn named(&self) -> NamedRace {
        let [first, second] = &self.racers;
        NamedRace {
            object: self.object.clone(),
            accesses: [first.words(), second.words()],
            stacks: [first.stack.clone(), second.stack.clone()],
            would_order: self.would_order.clone(),
            status: format!("{:?}", self.status).to_lowercase(),
            both_orders: self.both_orders,
            takes_part: self.takes_part,
        }
    }
}

/// All races of a campaign.
#[derive(Debug)]
pub(crate) struct Races {
    relation: HappensBefore,
    /// Code whose races nobody wants to hear of.
    ignored: Vec<Region>,
    candidates: Vec<Candidate>,
    by_pair: HashMap<(u64, u64), usize>,
}

impl Races {
    pub(crate) fn new(relation: HappensBefore, ignored: Vec<Region>) -> Self {
        Races { relation, ignored, candidates: Vec::new(), by_pair: HashMap::new() }
    }

    /// Is there something in the race that is not known? Races of code that nobody wants to hear of never are.
    pub(crate) fn is_news(&self, race: &Race) -> bool {
        let is_ignored = |side: &Side| self.ignored.iter().any(|code| (code.from..code.to).contains(&side.access.pc));
        if is_ignored(&race.first) || is_ignored(&race.second) {
            return false;
        }
        self.by_pair.get(&pair(race)).is_none_or(|index| {
            let known = &self.candidates[*index];
            !race.recycled && (!known.plain || !known.both_orders && known.racers[0].pc != race.first.access.pc)
        })
    }

    /// A run failed: which of its races take part in that is for the explanation to say.
    pub(crate) fn failed(&mut self, trace: &Trace) {
        let (by_pair, candidates) = (&self.by_pair, &mut self.candidates);
        Detector::new(self.relation).judge(trace, 0, |race| {
            if let Some(index) = by_pair.get(&pair(&race)) {
                candidates[*index].failed = true;
            }
        });
    }

    /// Takes races in. `stacks` is the same run with stacks. Gives the candidates that are real news: not seen before,
    /// or only where memory was recycled.
    pub(crate) fn add(
        &mut self,
        namer: &mut Namer<'_>,
        new: &[Race],
        stacks: &Trace,
        first_run: bool,
        reporting: &Points,
    ) -> Vec<usize> {
        let mut news = Vec::new();
        let names = namer.threads(stacks, &[]);
        let pure = self.pure_pairs(stacks);
        for race in new {
            let pcs = (race.first.access.pc, race.second.access.pc);
            let pair = pair(race);
            let next = self.candidates.len();
            let index = *self.by_pair.entry(pair).or_insert(next);
            if index == next {
                let named = |namer: &mut Namer<'_>, side: &Side| Racer::of(namer, side, stacks, &names);
                let racers = [named(namer, &race.first), named(namer, &race.second)];
                let deeds = [racers[0].what.as_str(), racers[1].what.as_str()];
                let would_order = would_order(namer, race, stacks, &names, deeds);
                self.candidates.push(Candidate {
                    sets_up: racers.iter().any(sets_up),
                    racers,
                    object: object(namer, &race.second, stacks),
                    would_order,
                    both_orders: pcs.0 == pcs.1,
                    first_run,
                    reporting: reporting.clone(),
                    status: RaceStatus::Untested,
                    takes_part: false,
                    plain: false,
                    failed: false,
                    unordered: self.relation == HappensBefore::Pure,
                });
            }
            let candidate = &mut self.candidates[index];
            candidate.unordered |= pure.contains(&pair);
            if !race.recycled {
                if !candidate.plain {
                    news.push(index);
                }
                candidate.plain = true;
                candidate.both_orders |= candidate.racers[0].pc != pcs.0;
            }
        }
        news
    }

    /// Pairs of a run that nothing in the language orders, if that is not what is asked for anyway.
    fn pure_pairs(&self, trace: &Trace) -> HashSet<(u64, u64)> {
        let mut pairs = HashSet::new();
        if self.relation != HappensBefore::Pure {
            Detector::new(HappensBefore::Pure).judge(trace, 0, |race| _ = pairs.insert(pair(&race)));
        }
        pairs
    }

    /// The race is a bug by itself.
    pub(crate) fn deny(&mut self, index: usize) -> &Candidate {
        self.candidates[index].failed = true;
        &self.candidates[index]
    }

    pub(crate) fn all(&self) -> &[Candidate] {
        &self.candidates
    }

    /// Puts these in the place of all.
    pub(crate) fn set(&mut self, candidates: Vec<Candidate>) {
        let pcs = |c: &Candidate| {
            let (a, b) = (c.racers[0].pc, c.racers[1].pc);
            (a.min(b), a.max(b))
        };
        self.by_pair = candidates.iter().enumerate().map(|(index, c)| (pcs(c), index)).collect();
        self.candidates = candidates;
    }

    pub(crate) fn candidate(&self, index: usize) -> &Candidate {
        &self.candidates[index]
    }

    /// How many there are, those between the same lines counted once.
    pub(crate) fn len(&self) -> usize {
        let lines = |c: &Candidate| {
            let mut places = [c.racers[0].location(), c.racers[1].location()];
            places.sort();
            (places, c.object.clone())
        };
        self.candidates.iter().filter(|c| c.plain).map(lines).collect::<HashSet<_>>().len()
    }

    /// All of them. `everything`: every interleaving was run. Else `tested` says of a set of points and a pair of
    /// instructions whether a space that holds them is explored, and if so, whether both orders were seen there. `explains`:
    /// is a failure explained by one of a pair, the lower first?
    pub(crate) fn settle(
        self,
        everything: bool,
        tested: impl Fn(&Points, (u64, u64)) -> Option<bool>,
        explains: impl Fn((u64, u64)) -> bool,
    ) -> Vec<Candidate> {
        let mut candidates = self.candidates;
        for candidate in &mut candidates {
            let pcs = (candidate.racers[0].pc, candidate.racers[1].pc);
            let tested = match everything {
                true => Some(candidate.both_orders),
                false => tested(&candidate.reporting.clone().with_race(pcs.0).with_race(pcs.1), pcs),
            };
            candidate.takes_part =
                candidate.failed && candidate.plain && explains((pcs.0.min(pcs.1), pcs.0.max(pcs.1)));
            candidate.status = match candidate {
                Candidate { plain: false, .. } => RaceStatus::Realloc,
                Candidate { failed: true, .. } => RaceStatus::Buggy,
                _ if tested == Some(true) => RaceStatus::Benign,
                // One order only, as long as memory is sequentially consistent: what else it leads to is not known.
                Candidate { unordered: false, .. } if tested == Some(false) => RaceStatus::False,
                _ => RaceStatus::Untested,
            };
        }
        candidates
    }
}

/// The two instructions, the lower first.
fn pair(race: &Race) -> (u64, u64) {
    let (a, b) = (race.first.access.pc, race.second.access.pc);
    (a.min(b), a.max(b))
}
