//! Which data races are told, and how grave each is: the same wherever they are.

use crate::{Race, RaceStatus, Report};
use gabion_trace::{Frame, NamedRace, TraceFile};
use std::collections::HashMap;

/// Races that a report holds at most.
const MOST: usize = 1_000;

/// The races for a report: all, or of too many those that matter first, and between the same lines one before there is a second. And how
/// many are told in all, and how many pairs of instructions are not.
pub fn bounded(all: Vec<Race>) -> (Vec<Race>, u64, u64) {
    let untold = all.iter().filter(|race| !is_told(race.status)).count() as u64;
    let total = select(&all, key_of, |race| (race.status, race.takes_part)).len() as u64;
    if all.len() <= MOST {
        return (all, total, untold);
    }
    let mut first = HashMap::new();
    for (index, race) in all.iter().enumerate() {
        first.entry(key_of(race)).or_insert(index);
    }
    let again = |(index, race): &(usize, Race)| first[&key_of(race)] != *index;
    let mut all: Vec<(usize, Race)> = all.into_iter().enumerate().collect();
    all.sort_by_cached_key(|one| (importance((one.1.status, one.1.takes_part)), again(one), one.0));
    all.truncate(MOST);
    all.sort_by_key(|(index, _)| *index);
    (all.into_iter().map(|(_, race)| race).collect(), total, untold)
}

/// How many data races are told.
pub(crate) fn number(report: &Report) -> u64 {
    report.races_total.max(told(report).len() as u64)
}

/// How grave something is to those who sort by that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Level {
    /// A bug.
    Error,
    /// Somebody should look at it.
    Warning,
    /// Good to know.
    Note,
}

/// Where a race's accesses are, and what they are to.
type Key = (String, String, String);

/// The data races that somebody should look at, those that matter first. A line may hold several instructions: it is told once.
pub(crate) fn told(report: &Report) -> Vec<&Race> {
    select(&report.races, key_of, |race| (race.status, race.takes_part))
}

/// The same of a trace file.
pub(crate) fn told_of(file: &TraceFile) -> Vec<&NamedRace> {
    let place = |race: &NamedRace, side: usize| {
        let frame = Frame::place(&race.stacks[side]).filter(|frame| frame.line.is_some());
        // Where no line is known the words have what there is.
        frame
            .and_then(|f| Some(format!("{}:{}", f.file.as_ref()?, f.line?)))
            .unwrap_or_else(|| race.accesses[side].clone())
    };
    select(
        &file.races,
        |race| key(place(race, 0), place(race, 1), &race.object),
        |race| (status(&race.status), race.takes_part),
    )
}

/// Pairs that are none of these: they have one order only, or the memory was another one.
pub(crate) fn untold(report: &Report) -> u64 {
    let held = report.races.iter().filter(|race| !is_told(race.status)).count() as u64;
    report.races_untold.max(held)
}

/// How grave a race is. What fails because of it is a bug of its own; here it is what to look at.
pub(crate) fn level(status: RaceStatus) -> Level {
    if status == RaceStatus::Benign { Level::Note } else { Level::Warning }
}

/// What became of a race, in words. `takes_part`: a failure is explained by it.
pub(crate) fn words(status: RaceStatus, takes_part: bool) -> &'static str {
    match status {
        RaceStatus::Buggy if takes_part => "takes part in the failure",
        RaceStatus::Buggy => "seen in a run that fails",
        RaceStatus::Untested => "not all that it may lead to was tested",
        RaceStatus::Benign => "both orders were tried everywhere, nothing failed",
        RaceStatus::Realloc => "only across freed and reused memory",
        RaceStatus::False => "the accesses have only one order",
    }
}

/// The status of this name.
pub(crate) fn status(name: &str) -> RaceStatus {
    match name {
        "buggy" => RaceStatus::Buggy,
        "benign" => RaceStatus::Benign,
        "false" => RaceStatus::False,
        "realloc" => RaceStatus::Realloc,
        _ => RaceStatus::Untested,
    }
}

fn is_told(status: RaceStatus) -> bool {
    matches!(status, RaceStatus::Buggy | RaceStatus::Untested | RaceStatus::Benign)
}

fn select<T>(all: &[T], key: impl Fn(&T) -> Key, became: impl Fn(&T) -> (RaceStatus, bool)) -> Vec<&T> {
    let (mut told, mut places): (Vec<&T>, HashMap<Key, usize>) = Default::default();
    for race in all.iter().filter(|race| is_told(became(race).0)) {
        let place = *places.entry(key(race)).or_insert(told.len());
        match told.get_mut(place) {
            None => told.push(race),
            Some(known) if importance(became(race)) < importance(became(known)) => *known = race,
            Some(_) => {}
        }
    }
    told.sort_by_key(|race| importance(became(race)));
    told
}

/// Object, accesses, and which orders would order them.
pub(crate) fn in_words(race: &Race) -> String {
    let [first, second] = &race.accesses;
    let orders = race.would_order.as_ref().map_or(String::new(), |orders| format!("; {orders}"));
    format!("{}: {first}, {second}{orders}", race.object)
}

fn key_of(race: &Race) -> Key {
    key(race.first.clone(), race.second.clone(), &race.object)
}

/// The places in one order.
fn key(first: String, second: String, object: &str) -> Key {
    let (low, high) = if first < second { (first, second) } else { (second, first) };
    (low, high, object.to_string())
}

fn importance((status, takes_part): (RaceStatus, bool)) -> u8 {
    match status {
        RaceStatus::Buggy if takes_part => 0,
        RaceStatus::Buggy => 1,
        RaceStatus::Untested => 2,
        RaceStatus::Benign => 3,
        RaceStatus::Realloc => 4,
        RaceStatus::False => 5,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RaceOrder;

    fn race(lines: (usize, usize), status: RaceStatus) -> Race {
        Race {
            first: format!("a.c:{}", lines.0),
            second: format!("a.c:{}", lines.1),
            order: RaceOrder::Both,
            status,
            object: "x".into(),
            accesses: Default::default(),
            stacks: Default::default(),
            first_run: false,
            would_order: None,
            takes_part: false,
        }
    }

    #[test]
    fn of_very_many_those_that_matter_stay_and_every_line_before_any_comes_again() {
        let few = vec![race((1, 2), RaceStatus::Benign); MOST];
        assert_eq!(bounded(few.clone()), (few, 1, 0));
        // Each pair of lines three times, one way and the other; a pair that matters most at the end; one that is not told.
        let pairs = (0..900).flat_map(|line| [(line, 5_000), (5_000, line), (line, 5_000)]);
        let mut many: Vec<Race> = pairs.map(|lines| race(lines, RaceStatus::Untested)).collect();
        many.push(race((1, 1), RaceStatus::False));
        many.push(race((2, 2), RaceStatus::Buggy));
        let (kept, told, untold) = bounded(many);
        assert_eq!((kept.len(), told, untold), (MOST, 901, 1));
        assert_eq!(kept.last().map(|race| race.status), Some(RaceStatus::Buggy), "they stay in their order");
        let lines: std::collections::HashSet<Key> = kept.iter().map(key_of).collect();
        assert_eq!(lines.len(), 901);
        let report = Report { races: kept, races_total: told, ..Report::of_error("none") };
        assert_eq!((number(&report), super::told(&report).len()), (901, 901));
    }
}
