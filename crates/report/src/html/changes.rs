//! Which other switches are not what they were when one of them is moved.
//!
//! A run in which one comes earlier or later need not have all others: a thread cannot run when it should, or has run
//! already. A switch is known by who is left, after how many steps of its own, and for whom.

use gabion_trace::{Neighbour, ThreadId};

/// Who ran how many steps, one after the other.
pub(super) type Turns = Vec<(ThreadId, u32)>;

/// A switch.
#[derive(Clone, Copy, Debug)]
struct Switch {
    from: ThreadId,
    /// Steps that it had made.
    after: u32,
    /// It makes no more.
    for_good: bool,
    to: ThreadId,
    /// Steps of all before it.
    before: u32,
}

impl Switch {
    /// Is it the other one, in another run? A thread may come to its end in another number of steps.
    fn is(&self, other: &Switch) -> bool {
        let here = self.after == other.after || self.for_good && other.for_good;
        here && (self.from, self.to) == (other.from, other.to)
    }
}

fn steps_of(thread: ThreadId, turns: &[(ThreadId, u32)]) -> u32 {
    turns.iter().filter(|(other, _)| *other == thread).map(|(_, steps)| steps).sum()
}

fn switches(turns: &[(ThreadId, u32)]) -> Vec<Switch> {
    let switch = |(index, pair): (usize, &[(ThreadId, u32)])| {
        let (from, to) = (pair[0].0, pair[1].0);
        let (done, left) = turns.split_at(index + 1);
        let for_good = left.iter().all(|(thread, _)| *thread != from);
        let before = done.iter().map(|(_, steps)| steps).sum();
        Switch { from, after: steps_of(from, done), for_good, to, before }
    };
    turns.windows(2).enumerate().map(switch).collect()
}

/// What differs between a run and one in which its switch number `moved` comes earlier or later, besides that switch: which
/// others are not made although it came to where they were, and how many are that were not.
pub(super) fn changes(turns: &[(ThreadId, u32)], moved: usize, neighbour: &Neighbour) -> String {
    let (mut expected, made) = (switches(turns), switches(&neighbour.order));
    if let Some(switch) = expected.get_mut(moved) {
        switch.after = switch.after.saturating_add_signed(neighbour.shift);
    }
    let last = neighbour.order.last().map(|(thread, _)| *thread);
    let came_to = |switch: &Switch| {
        let steps = steps_of(switch.from, &neighbour.order);
        steps > switch.after || steps == switch.after && last != Some(switch.from)
    };
    let is_lost = |switch: &&Switch| made.iter().all(|other| !switch.is(other)) && came_to(switch);
    let name = |switch: &Switch| format!("{} to {} before step {}", switch.from, switch.to, switch.before + 1);
    let lost: Vec<String> = expected.iter().filter(is_lost).map(name).collect();
    let lost = match lost.as_slice() {
        [] => String::new(),
        [one] => format!("; without the switch from {one}"),
        all => format!("; without the switches from {}", all.join(", from ")),
    };
    match made.iter().filter(|switch| expected.iter().all(|other| !switch.is(other))).count() {
        0 => lost,
        1 => format!("{lost}; with 1 switch more"),
        n => format!("{lost}; with {n} switches more"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gabion_trace::NeighbourEnd;

    fn check(turns: &[(u16, u32)], (moved, shift): (usize, i32), other: &[(u16, u32)], expected: &str) {
        let turns_of = |list: &[(u16, u32)]| -> Turns { list.iter().map(|(t, n)| (ThreadId(*t), *n)).collect() };
        let neighbour = Neighbour { shift, end: NeighbourEnd::Passes, order: turns_of(other) };
        assert_eq!(changes(&turns_of(turns), moved, &neighbour), expected);
    }

    #[test]
    fn other_switches_that_are_lost_or_new_are_named() {
        let turns = [(0, 3), (1, 20), (2, 1), (1, 2), (0, 3)];
        check(&turns, (1, -1), &[(0, 3), (1, 19), (2, 1), (1, 3), (0, 3)], "");
        // A thread comes to its end in fewer steps.
        check(&turns, (1, -1), &[(0, 3), (1, 19), (2, 1), (1, 2), (0, 3)], "");
        // The run is over before the others.
        check(&turns, (0, 1), &[(0, 4), (1, 5)], "");
        let without = "; without the switch from T1 to T2 before step 24";
        check(&turns, (0, -1), &[(0, 2), (1, 22), (0, 4)], without);
        let other = [(0, 2), (1, 20), (0, 1), (2, 1), (1, 2), (0, 3)];
        check(&turns, (0, -1), &other, &format!("{without}; with 2 switches more"));
        let other = [(0, 3), (1, 22), (2, 1), (0, 3)];
        let lost = "; without the switches from T2 to T1 before step 25, from T1 to T0 before step 27";
        check(&turns, (1, 2), &other, &format!("{lost}; with 1 switch more"));
    }
}
