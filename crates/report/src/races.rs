//! Which data races are told, and how grave each is: the same wherever they are.

use crate::{Race, RaceStatus, Report};
use gabion_trace::{Frame, NamedRace, TraceFile};

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
    let key = |race: &Race| key(race.first.clone(), race.second.clone(), &race.object);
    select(&report.races, key, |race| (race.status, race.takes_part))
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
pub(crate) fn untold(report: &Report) -> usize {
    let told = |race: &&Race| is_told(race.status);
    report.races.iter().filter(|race| !told(race)).count()
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
    let mut told: Vec<(Key, &T)> = Vec::new();
    for race in all.iter().filter(|race| is_told(became(race).0)) {
        let key = key(race);
        match told.iter_mut().find(|(known, _)| *known == key) {
            Some((_, known)) if importance(became(race)) < importance(became(known)) => *known = race,
            Some(_) => {}
            None => told.push((key, race)),
        }
    }
    told.sort_by_key(|(_, race)| importance(became(race)));
    told.into_iter().map(|(_, race)| race).collect()
}

/// Object, accesses, and which orders would order them.
pub(crate) fn in_words(race: &Race) -> String {
    let [first, second] = &race.accesses;
    let orders = race.would_order.as_ref().map_or(String::new(), |orders| format!("; {orders}"));
    format!("{}: {first}, {second}{orders}", race.object)
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
