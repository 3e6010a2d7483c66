//! Which memory orders would have ordered a race, in words: those of the program's own atomics.

use crate::naming::{Namer, who};
use gabion_analysis::{Race, Side, Stronger};
use gabion_trace::{AccessKind, OpKind, Trace};

/// A sentence, if stronger orders are all that is missing. `stacks` is the run in which the race was seen.
pub(crate) fn would_order(
    namer: &mut Namer<'_>,
    race: &Race,
    stacks: &Trace,
    names: &[String],
    deeds: [&str; 2],
) -> Option<String> {
    let sites = |side: &Side| stacks.access_stack(side.event as usize);
    let weak = race.strengthen(stacks, |side| namer.is_own_atomic(side.access.pc, sites(side)));
    let (last, rest) = weak.split_last()?;
    let mut words = String::new();
    for (number, one) in rest.iter().chain([last]).enumerate() {
        let Stronger { side, lacks } = one;
        let object = namer.object_at(side.access.address, side.event as usize);
        let named = !object.is_empty() && !object.starts_with("heap ");
        let object = if named { format!(" {} {object}", preposition(side)) } else { String::new() };
        let at = namer.at(side.access.pc, sites(side)).map_or(String::new(), |at| format!(" at {at}"));
        let (is, needs) = (order(side.access.kind), order(side.access.kind.with(*lacks)));
        let begins = match number {
            0 => "the",
            n if n == rest.len() => ", and the",
            _ => ", the",
        };
        let by = who(side.thread, names);
        let must = if number == 0 { "would have to be " } else { "" };
        words += &format!("{begins} {}{object} by {by}{at} ({is}) {must}{needs}", deed(side, stacks));
    }
    let [first, second] = deeds;
    let (one, other) = (who(race.first.thread, names), who(race.second.thread, names));
    let then = format!("the {first} by {one} comes before the {second} by {other}");
    Some(format!("{words}: then {then} whenever what is read there is what was written"))
}

/// The order of an atomic access, in the word of the language.
fn order(kind: AccessKind) -> &'static str {
    match (kind.has(AccessKind::ACQUIRE), kind.has(AccessKind::RELEASE)) {
        (true, true) => "acq_rel",
        (true, false) => "acquire",
        (false, true) => "release",
        (false, false) => "relaxed",
    }
}

/// A compare-and-exchange that fails has only read, and has an order of its own for that.
fn deed(side: &Side, trace: &Trace) -> &'static str {
    let kind = side.access.kind;
    let pending = trace.steps.get(side.step as usize).and_then(|step| step.pending);
    let updates = pending.is_some_and(|p| p.op == OpKind::AtomicUpdate && p.pc == side.access.pc);
    match (kind.reads(), kind.writes()) {
        (true, true) => "update",
        (false, true) => "store",
        _ if updates => "failing update",
        _ => "load",
    }
}

fn preposition(side: &Side) -> &'static str {
    if side.access.kind.reads() { "of" } else { "to" }
}
