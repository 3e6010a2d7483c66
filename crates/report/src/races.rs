//! Which data races are told: the same for people and for those who read annotations.

use crate::{Race, RaceStatus, Report};

/// The data races, those that matter first. A line may hold several instructions: it is told once.
pub(crate) fn by_line(report: &Report) -> Vec<&Race> {
    let mut races: Vec<&Race> = Vec::new();
    for race in &report.races {
        match races.iter_mut().find(|known| lines(known) == lines(race) && known.object == race.object) {
            Some(known) if importance(race.status) < importance(known.status) => *known = race,
            Some(_) => {}
            None => races.push(race),
        }
    }
    races.sort_by_key(|race| importance(race.status));
    races
}

/// Those that somebody should look at.
pub(crate) fn told(report: &Report) -> impl Iterator<Item = &Race> {
    let worth = |race: &&Race| matches!(race.status, RaceStatus::Buggy | RaceStatus::Untested | RaceStatus::Benign);
    by_line(report).into_iter().filter(worth)
}

/// Object, accesses, and which orders would order them.
pub(crate) fn in_words(race: &Race) -> String {
    let [first, second] = &race.accesses;
    let orders = race.would_order.as_ref().map_or(String::new(), |orders| format!("; {orders}"));
    format!("{}: {first}, {second}{orders}", race.object)
}

/// Where a race's accesses are, in one order.
fn lines(race: &Race) -> (&str, &str) {
    let (first, second) = (race.first.as_str(), race.second.as_str());
    if first < second { (first, second) } else { (second, first) }
}

fn importance(status: RaceStatus) -> u8 {
    match status {
        RaceStatus::Buggy => 0,
        RaceStatus::Untested => 1,
        RaceStatus::Benign => 2,
        RaceStatus::Realloc => 3,
        RaceStatus::False => 4,
    }
}
