//! Data races met in a campaign: each pair of instructions once, with names.

use crate::naming::{Namer, location};
use crate::{Points, Subject};
use gabion_analysis::{Detector, HappensBefore, Race, Side};
use gabion_trace::{Access, AccessKind, Event, Frame, NamedRace, Region, Role, ThreadId, Trace};
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
    /// It takes part in a run that fails.
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

/// One of the two accesses of a race, named.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Racer {
    /// Who.
    pub thread: ThreadId,
    /// The thread's function.
    pub name: String,
    /// `read`, `write`, `atomic update`…
    pub what: String,
    /// Where, innermost first.
    pub stack: Vec<Frame>,
    pub(crate) pc: u64,
}

impl Racer {
    /// `file:line`, or what there is.
    pub fn location(&self) -> String {
        let unknown = || if self.pc == 0 { "its end".to_string() } else { format!("{:#x}", self.pc) };
        Frame::place(&self.stack).and_then(location).unwrap_or_else(unknown)
    }

    /// In words.
    pub fn words(&self) -> String {
        format!("{} by {} at {}", self.what, self.who(), self.location())
    }

    pub(crate) fn who(&self) -> String {
        if self.name.is_empty() { self.thread.to_string() } else { format!("{} ({})", self.thread, self.name) }
    }
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
    /// What became of it.
    pub status: RaceStatus,
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
            status: format!("{:?}", self.status).to_lowercase(),
            both_orders: self.both_orders,
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

    /// A run failed: all its races take part in that.
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
    pub(crate) fn add<S: Subject>(
        &mut self,
        namer: &mut Namer<'_, S>,
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
                let named = |namer: &mut Namer<'_, S>, side: &Side| racer(namer, side, stacks, &names);
                let racers = [named(namer, &race.first), named(namer, &race.second)];
                self.candidates.push(Candidate {
                    sets_up: racers.iter().any(sets_up),
                    racers,
                    object: object(namer, &race.second, stacks),
                    both_orders: pcs.0 == pcs.1,
                    first_run,
                    reporting: reporting.clone(),
                    status: RaceStatus::Untested,
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
    /// instructions whether a space that holds them is explored, and if so, whether both orders were seen there.
    pub(crate) fn settle(
        self,
        everything: bool,
        tested: impl Fn(&Points, (u64, u64)) -> Option<bool>,
    ) -> Vec<Candidate> {
        let mut candidates = self.candidates;
        for candidate in &mut candidates {
            let pcs = (candidate.racers[0].pc, candidate.racers[1].pc);
            let tested = match everything {
                true => Some(candidate.both_orders),
                false => tested(&candidate.reporting.clone().with_race(pcs.0).with_race(pcs.1), pcs),
            };
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

fn racer<S: Subject>(namer: &mut Namer<'_, S>, side: &Side, stacks: &Trace, names: &[String]) -> Racer {
    Racer {
        thread: side.thread,
        name: names.get(side.thread.index()).cloned().unwrap_or_default(),
        what: if side.access.pc == 0 { "end" } else { verb(side.access.kind) }.to_string(),
        stack: namer.stack(side.access.pc, stacks.access_stack(side.event as usize)),
        pc: side.access.pc,
    }
}

fn verb(kind: AccessKind) -> &'static str {
    let atomic = kind.has(AccessKind::ATOMIC);
    match (kind.has(AccessKind::FREE), kind.reads(), kind.writes()) {
        (true, ..) => "free",
        (_, true, true) if atomic => "atomic update",
        (_, false, true) if atomic => "atomic write",
        _ if atomic => "atomic read",
        (_, true, true) => "update",
        (_, false, true) => "write",
        _ => "read",
    }
}

/// A variable, a block with its place of allocation, somebody's stack.
fn object<S: Subject>(namer: &mut Namer<'_, S>, side: &Side, trace: &Trace) -> String {
    let own = side.access;
    let covers = |at: u64, size: u32| {
        let whole = Access { address: gabion_trace::Address::memory(at), size, kind: AccessKind::WRITE, pc: 0 };
        whole.conflicts(&own)
    };
    let before = &trace.events[..(side.event as usize).min(trace.events.len())];
    let found = before.iter().rev().find_map(|event| match *event {
        Event::Alloc { address, size, pc, thread } if covers(address, size) => {
            Some((thread, address, size, pc, &[][..]))
        }
        _ => None,
    });
    let present = || {
        let mut blocks = trace.witnesses.iter().filter(|w| w.role == Role::Present);
        let block = blocks.find(|w| covers(w.address, w.size))?;
        Some((block.thread, block.address, block.size, block.pc, block.stack.as_slice()))
    };
    match found.or_else(present) {
        Some((thread, at, size, pc, sites)) => {
            let stack = namer.stack(pc, sites);
            let site = Frame::place(&stack).and_then(location).map_or(String::new(), |at| format!(" at {at}"));
            let offset = own.address.offset().saturating_sub(at);
            format!("byte {offset} of a block of {size} bytes allocated by {thread}{site}")
        }
        None => namer.name(own.address),
    }
}

/// Is a function on the stack one that sets something up or takes it down (thesis §4.4.5)?
fn sets_up(racer: &Racer) -> bool {
    racer.stack.iter().filter_map(|frame| frame.function.as_deref()).any(is_set_up)
}

/// Does a function of this name set something up or take it down?
pub(crate) fn is_set_up(function: &str) -> bool {
    let name = function.to_ascii_lowercase();
    name.split(|c: char| !c.is_ascii_alphanumeric()).any(|part| ["init", "destroy"].contains(&part))
}
