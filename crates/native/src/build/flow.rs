//! What registers and slots hold at the start of each block of a function.
//!
//! The function is gone through in rounds, each block after those that lead to it, and at first as if nothing changed in
//! a loop. After a round the loops are looked at: what comes back other than it went in is either moved by the same
//! amount in every run, and then known by how often the loop has run, or a value of the loop's own, the same one for
//! places that are alike on every way in and back. The next round starts with that. Such knowledge is only ever taken
//! back, never regained, so this ends; a limit backs it.

use std::collections::HashMap;

use super::graph::Graph;
use super::state::{Context, State};
use super::values::{Id, Nature, Origin, Place, Sum};

/// Rounds that a function may take; four are usual.
const ROUNDS: usize = 100;

/// Computations within computations that are followed back.
const DEPTH: usize = 4;

/// The states of a function.
pub(super) struct Flow {
    /// Before and after each block that can be reached.
    pub(super) states: Vec<Option<(State, State)>>,
    order: Order,
}

/// Blocks such that all but loops lead forward.
struct Order {
    blocks: Vec<usize>,
    position: Vec<usize>,
}

/// What a loop does to a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Change {
    /// Moves it by so much in each run.
    Stride(i64),
    /// Whatever it does to that place.
    Like(Place),
}

/// The block that a loop comes back to.
#[derive(Default)]
struct Head {
    /// With how many bytes of the place are meant.
    changes: HashMap<Place, (Change, i64)>,
    /// On the ways from outside.
    entered: Option<State>,
}

/// `None` if the function is too involved.
pub(super) fn flow<'t>(graph: &Graph<'t>, context: &mut Context<'_, 't>) -> Option<Flow> {
    let order = Order::of(graph);
    let mut heads: HashMap<usize, Head> = HashMap::new();
    for number in &order.blocks {
        if order.ways(graph, *number, Way::Back).next().is_some() {
            heads.insert(*number, Head::default());
        }
    }
    for _ in 0..ROUNDS {
        let escaped = context.escaped.len();
        let states = round(graph, &order, &mut heads, context);
        let mut news = context.escaped.len() != escaped;
        for (number, head) in &mut heads {
            let back: Vec<&State> = order
                .ways(graph, *number, Way::Back)
                .filter_map(|way| states[way].as_ref().map(|(_, after)| after))
                .collect();
            let before = states[*number].as_ref().map(|(before, _)| before);
            news |= before.is_some_and(|before| head.look(*number, before, &back, context));
        }
        if !news {
            return Some(Flow { states, order });
        }
    }
    None
}

fn round<'t>(
    graph: &Graph<'t>,
    order: &Order,
    heads: &mut HashMap<usize, Head>,
    context: &mut Context<'_, 't>,
) -> Vec<Option<(State, State)>> {
    let mut states: Vec<Option<(State, State)>> = vec![None; graph.blocks.len()];
    for number in order.blocks.iter().copied() {
        let entry = (number == 0).then(|| State::entry(&mut context.values));
        let ways = order.ways(graph, number, Way::Forward).filter_map(|way| states[way].as_ref());
        let ways: Vec<&State> = entry.iter().chain(ways.map(|(_, after)| after)).collect();
        let mut before = match ways.as_slice() {
            [] => State::unknown(number, &mut context.values),
            [one] => (*one).clone(),
            ways => meet(number, ways, context),
        };
        if let Some(head) = heads.get_mut(&number) {
            head.entered = Some(before.clone());
            head.apply(number, &mut before, context);
        }
        let mut after = before.clone();
        for step in graph.blocks[number].start..graph.blocks[number].end {
            after.follow(step, &graph.steps[step].instruction, context);
        }
        states[number] = Some((before, after));
    }
    states
}

/// Places of several states, in order, with the bytes they have in the first that knows them.
fn places(states: &[&State]) -> Vec<(Place, i64)> {
    let mut found: Vec<(Place, i64)> = states.iter().flat_map(|state| state.places()).collect();
    found.sort_by_key(|(place, _)| *place);
    found.dedup_by_key(|(place, _)| *place);
    found
}

/// The values, moved so that the first has no offset: what is alike up to an offset moves in step.
fn level(values: &[Sum]) -> Vec<Sum> {
    let by = values.first().map_or(0, |value| value.offset);
    values.iter().map(|value| value.moved(by.wrapping_neg())).collect()
}

/// Where several ways come together. Places that differ get a value of the block's own, alike ones the same.
fn meet(block: usize, ways: &[&State], context: &mut Context) -> State {
    let mut joined = ways[0].clone();
    let mut classes: HashMap<Vec<Sum>, Sum> = HashMap::new();
    for (place, size) in places(ways) {
        let values: Option<Vec<Sum>> = ways.iter().map(|way| way.at(place, size, context)).collect();
        let Some(values) = values else {
            joined.put(place, size, context.values.shared(Origin::Scattered(block, place)));
            continue;
        };
        if values.iter().all(|value| *value == values[0]) {
            joined.put(place, size, values[0]);
            continue;
        }
        let nature = common(&values, context);
        let own = || context.values.name(Origin::Joined(block, place), nature);
        let value = *classes.entry(level(&values)).or_insert_with(own);
        value.single().map(|id| context.values.correct(id, nature));
        joined.put(place, size, value.moved(values[0].offset));
    }
    joined
}

/// What is at addresses of which one is taken.
fn common(values: &[Sum], context: &Context) -> Nature {
    let nature = context.values.nature(&values[0]);
    if values.iter().all(|value| context.values.nature(value) == nature) { nature } else { Nature::Shared }
}

impl Head {
    /// Puts in what the loop is known to change.
    fn apply(&self, block: usize, state: &mut State, context: &mut Context) {
        let Some(entered) = &self.entered else { return };
        let mut changes: Vec<_> = self.changes.iter().collect();
        changes.sort_unstable_by_key(|(place, _)| **place);
        for (place, (change, size)) in changes {
            let entered = entered.at(*place, *size, context);
            let value = match (change, entered) {
                (Change::Stride(by), Some(first)) => {
                    let count = context.values.shared(Origin::Count(block));
                    let moved = context.values.scale(count, *by);
                    context.values.add(first, moved)
                }
                (Change::Like(other), first) => {
                    let nature = first.map_or(Nature::Shared, |first| context.values.nature(&first));
                    let value = context.values.name(Origin::Looped(block, *other), nature);
                    value.moved(first.map_or(0, |first| first.offset))
                }
                (Change::Stride(_), None) => context.values.shared(Origin::Scattered(block, *place)),
            };
            state.put(*place, *size, value);
        }
    }

    /// Compares what went in with what comes back. True if something was learned.
    fn look(&mut self, block: usize, before: &State, back: &[&State], context: &mut Context) -> bool {
        let Some(entered) = self.entered.take() else { return false };
        let mut learned = false;
        let mut classes: HashMap<(Option<Place>, Vec<Sum>), Place> = HashMap::new();
        let all: Vec<&State> = [&entered, before].into_iter().chain(back.iter().copied()).collect();
        for (place, size) in places(&all) {
            let values: Option<Vec<Sum>> = [&entered]
                .into_iter()
                .chain(back.iter().copied())
                .map(|state| state.at(place, size, context))
                .collect();
            let values = values.unwrap_or_default();
            let now = before.at(place, size, context);
            let known = self.changes.get(&place).map(|(change, _)| *change);
            let same = now.is_some_and(|now| values.len() > 1 && values[1..].iter().all(|value| *value == now));
            let by = match (known, now, values.as_slice()) {
                (None, Some(_), _) if same => continue,
                (None, Some(now), [_, back @ ..]) => stride(now, back),
                (Some(Change::Stride(by)), Some(now), [_, back @ ..]) => stride(now, back).filter(|now| *now == by),
                _ => None,
            };
            let change = match (by, known) {
                (Some(by), _) => Change::Stride(by),
                (None, known) => {
                    let class = match known {
                        Some(Change::Like(other)) => Some(other),
                        _ => None,
                    };
                    // A piece of a slot is like nothing else.
                    let own =
                        if values.is_empty() { vec![Sum::number(i64::MIN); classes.len() + 1] } else { level(&values) };
                    Change::Like(*classes.entry((class, own)).or_insert(place))
                }
            };
            learned |= self.changes.insert(place, (change, size)) != Some((change, size));
            if let Change::Like(other) = change
                && let Some(id) = context.values.shared(Origin::Looped(block, other)).single()
            {
                let shared = values.is_empty() || common(&values, context) == Nature::Shared;
                learned |= shared && context.values.correct(id, Nature::Shared);
            }
        }
        learned
    }
}

/// The one amount by which a value comes back changed on all ways.
fn stride(now: Sum, back: &[Sum]) -> Option<i64> {
    let by = back.first()?.plus(now.times(-1)?)?.as_number()?;
    back.iter().all(|value| *value == now.moved(by)).then_some(by)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Forward,
    Back,
}

impl Order {
    /// From the end of a depth-first search: what a block leads to comes after it, except by a loop.
    fn of(graph: &Graph) -> Order {
        let count = graph.blocks.len();
        let mut position = vec![usize::MAX; count];
        let (mut finished, mut seen) = (Vec::new(), vec![false; count]);
        // What nothing leads to is searched too; later roots come first in the result.
        let roots = (1..count).filter(|number| graph.blocks[*number].before.is_empty() && !graph.blocks[*number].dead);
        let rest = (1..count).filter(|number| !graph.blocks[*number].dead);
        let mut found: Vec<Vec<usize>> = Vec::new();
        for root in [0].into_iter().chain(roots).chain(rest).filter(|root| *root < count) {
            if std::mem::replace(&mut seen[root], true) {
                continue;
            }
            let mut stack = vec![(root, 0)];
            while let Some((number, next)) = stack.pop() {
                match graph.blocks[number].after.get(next) {
                    Some(after) => {
                        stack.push((number, next + 1));
                        if !std::mem::replace(&mut seen[*after], true) {
                            stack.push((*after, 0));
                        }
                    }
                    None => finished.push(number),
                }
            }
            found.push(std::mem::take(&mut finished));
        }
        let blocks: Vec<usize> = found.into_iter().rev().flat_map(|tree| tree.into_iter().rev()).collect();
        for (at, number) in blocks.iter().enumerate() {
            position[*number] = at;
        }
        Order { blocks, position }
    }

    fn ways<'o>(&'o self, graph: &'o Graph, block: usize, way: Way) -> impl Iterator<Item = usize> + 'o {
        let back = move |before: usize| self.position[before] >= self.position[block];
        graph.blocks[block].before.iter().copied().filter(move |before| back(*before) == (way == Way::Back))
    }
}

impl Flow {
    /// The value at the start of a block, in terms of the end of one that leads to it. `None` if it is not known there.
    pub(super) fn on_way<'t>(
        &self,
        value: Sum,
        block: usize,
        way: usize,
        context: &mut Context<'_, 't>,
    ) -> Option<Sum> {
        self.moved_back(value, (way, block), DEPTH, context)
    }

    fn moved_back<'t>(
        &self,
        value: Sum,
        edge: (usize, usize),
        depth: usize,
        context: &mut Context<'_, 't>,
    ) -> Option<Sum> {
        let mut moved = value;
        for (id, factor) in value.terms() {
            let term = self.term_back(id, edge, depth, context)?;
            if term.single() != Some(id) || term.offset != 0 {
                moved = moved.with(id, factor, term)?;
            }
        }
        Some(moved)
    }

    fn term_back<'t>(
        &self,
        id: Id,
        (way, block): (usize, usize),
        depth: usize,
        context: &mut Context<'_, 't>,
    ) -> Option<Sum> {
        let same = Sum::of(id);
        let back = self.order.position[way] >= self.order.position[block];
        match context.values.origin(id) {
            Origin::Count(at) if at == block => Some(if back { same.moved(1) } else { Sum::default() }),
            // What came in does not change while the loop runs.
            Origin::Joined(at, _) if at == block && back => Some(same),
            Origin::Joined(at, place) | Origin::Looped(at, place) if at == block => {
                let before = &self.states[block].as_ref()?.0;
                let size = before.size(place);
                let now = before.at(place, size, context)?;
                let count = context.values.shared(Origin::Count(block)).single()?;
                let strides = now.terms().find(|(term, _)| *term == count).map_or(0, |(_, factor)| factor);
                let now = if strides == 0 { now } else { now.with(count, strides, Sum::default())? };
                now.single().filter(|known| *known == id)?;
                let then = self.states[way].as_ref()?.1.at(place, size, context)?;
                Some(then.moved(now.offset.wrapping_neg()))
            }
            Origin::Computed(how, [a, b]) if depth > 0 => {
                let then = [a, b].map(|value| self.moved_back(value, (way, block), depth - 1, context));
                let [Some(first), Some(second)] = then else { return None };
                if [first, second] == [a, b] {
                    return Some(same);
                }
                Some(match (how, first.as_number()) {
                    ("zext4", Some(number)) => Sum::number(number & 0xffff_ffff),
                    ("sext4", Some(number)) => Sum::number(i64::from(number as i32)),
                    _ => context.values.name(Origin::Computed(how, [first, second]), context.values.nature(&same)),
                })
            }
            _ => Some(same),
        }
    }
}
