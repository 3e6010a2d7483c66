//! Iterative Deepening's choices on a simulated workload: state spaces of known size, estimates as noisy as we like.

use gabion_deepen::{Board, JobId, Points, Rank, Status};
use gabion_trace::{Point, PointSet};

fn yields() -> Points {
    Points::of(PointSet::VOLUNTARY)
}
fn locks() -> Points {
    yields().with_class(Point::Lock)
}
fn unlocks() -> Points {
    yields().with_class(Point::Unlock)
}
fn both() -> Points {
    locks().union(&unlocks())
}

fn seeded() -> (Board, [JobId; 4]) {
    let mut board = Board::default();
    let ids = [yields(), locks(), unlocks(), both()].map(|points| board.add(points, Rank::Seed, false).expect("new"));
    (board, ids)
}

/// A race was seen in a job.
fn add_race(board: &mut Board, reporter: JobId, pc: u64, rank: Rank) {
    for (points, small) in board.of_race(reporter, pc) {
        board.add(points, rank, small);
    }
}

/// A job is searched: it has made so many runs, and is thought to need so much more.
fn searched(board: &mut Board, id: JobId, runs: u64, estimate: f64) {
    board.switch(None, id);
    let job = board.job_mut(id);
    (job.runs, job.estimate) = (runs, Some(estimate));
}

/// A job is put aside with this estimate.
fn suspended(board: &mut Board, id: JobId, estimate: f64) {
    searched(board, id, 100, estimate);
    board.job_mut(id).status = Status::Suspended;
}

#[test]
fn a_job_that_will_end_goes_on() {
    let (mut board, [a, ..]) = seeded();
    searched(&mut board, a, 100, 199.0);
    assert_eq!(board.choose(Some(a), 100.0), Some(a));
    // Twice what is left is too much, but not before 32 runs.
    searched(&mut board, a, 31, 200.0);
    assert_eq!(board.choose(Some(a), 100.0), Some(a));
    searched(&mut board, a, 32, 200.0);
    assert_ne!(board.choose(Some(a), 100.0), Some(a));
}

#[test]
fn pending_jobs_come_by_rank_and_size() {
    let (mut board, [a, b, c, d]) = seeded();
    add_race(&mut board, d, 7, Rank::SingleOrder);
    add_race(&mut board, a, 9, Rank::BothOrders);
    let mut order = Vec::new();
    while let Some(next) = board.choose(None, 1.0) {
        order.push(next);
        board.switch(None, next);
        board.end(next, true, false, true);
    }
    // Of two jobs for one race, the small one first; what a larger one completed is not searched.
    let points = |id: &JobId| board.job(*id).points.clone();
    assert_eq!(order[..4], [a, b, c, d]);
    assert_eq!(points(&order[4]), yields().with_race(9));
    assert_eq!(points(&order[5]), yields().with_race(7));
    assert_eq!(points(&order[6]), both().with_race(7));
    assert_eq!(order.len(), 7);
}

#[test]
fn a_pending_job_waits_for_its_suspended_part() {
    let (mut board, [a, b, c, d]) = seeded();
    searched(&mut board, a, 100, 1.0);
    board.end(a, true, false, true);
    suspended(&mut board, b, 900.0);
    searched(&mut board, c, 100, 800.0);
    // {lock, unlock} contains {lock}, which is suspended; {lock} is worse than {unlock} itself.
    assert_eq!(board.choose(Some(c), 10.0), Some(c));
    // If {lock} is thought to be better, it is resumed.
    suspended(&mut board, b, 700.0);
    assert_eq!(board.choose(Some(c), 10.0), Some(b));
    // Without the suspended part, {lock, unlock} may begin.
    board.end(b, true, false, true);
    assert_eq!(board.choose(Some(c), 10.0), Some(d));
}

#[test]
fn estimates_that_are_the_wrong_way_round() {
    let (mut board, [a, b, c, d]) = seeded();
    board.end(a, true, false, true);
    // The larger of the two suspended ones claims to be smaller: the smaller set is believed.
    suspended(&mut board, b, 500.0);
    suspended(&mut board, d, 400.0);
    searched(&mut board, c, 100, 600.0);
    assert_eq!(board.choose(Some(c), 10.0), Some(b));
    // A job is not left for one that contains it.
    board.end(b, true, false, true);
    suspended(&mut board, d, 400.0);
    assert_eq!(board.choose(Some(c), 10.0), Some(c));
}

#[test]
fn nothing_better_is_no_reason_to_stop() {
    let (mut board, [a, b, c, d]) = seeded();
    for id in [a, b, c] {
        board.end(id, true, false, true);
    }
    searched(&mut board, d, 1000, 1e9);
    assert_eq!(board.choose(Some(d), 1.0), Some(d));
    board.end(d, true, false, true);
    assert_eq!(board.choose(Some(d), 1.0), None);
}

#[test]
fn a_bug_cancels_what_contains_it() {
    let (mut board, [a, b, c, d]) = seeded();
    board.end(a, true, false, true);
    searched(&mut board, b, 3, 1.0);
    board.found_bug(b);
    let status = |board: &Board, id| board.job(id).status;
    assert_eq!([b, c, d].map(|id| status(&board, id)), [Status::Bug, Status::Pending, Status::Cancelled]);
    // Nor is such a job added later.
    let late = board.add(locks().with_race(5), Rank::BothOrders, false).expect("new");
    assert_eq!(status(&board, late), Status::Cancelled);
    let (mut board, [_, b, _, d]) = seeded();
    board.keep_going = true;
    board.found_bug(b);
    assert_eq!(status(&board, d), Status::Pending);
}

#[test]
fn a_complete_job_completes_its_parts() {
    let (mut board, [a, b, c, d]) = seeded();
    suspended(&mut board, b, 5.0);
    searched(&mut board, d, 50, 0.0);
    board.end(d, true, false, true);
    for id in [a, b, c, d] {
        assert_eq!(board.job(id).status, Status::Complete);
    }
    assert_eq!(board.covered(), [both()]);
    assert!(board.is_covered(&locks()) && !board.is_covered(&both().with_race(1)));
}

#[test]
fn races_beget_jobs_once() {
    let (mut board, [a, _, _, d]) = seeded();
    let jobs = |board: &Board| board.jobs().count();
    add_race(&mut board, d, 7, Rank::BothOrders);
    assert_eq!(jobs(&board), 6);
    // The big job of a part is contained in the one that is there.
    add_race(&mut board, a, 7, Rank::BothOrders);
    assert_eq!(jobs(&board), 6);
    // Small jobs beget none.
    let small = board.jobs().find(|(_, job)| job.small).map(|(id, _)| id).expect("there is one");
    add_race(&mut board, small, 8, Rank::BothOrders);
    assert_eq!(jobs(&board), 6);
}

#[test]
fn low_memory_drops_the_largest() {
    let (mut board, [_, b, c, _]) = seeded();
    suspended(&mut board, b, 10.0);
    suspended(&mut board, c, 20.0);
    assert_eq!(board.drop_largest(), Some(c));
    assert_eq!(board.job(c).status, Status::Dropped);
    assert_eq!(board.drop_largest(), Some(b));
    assert_eq!(board.drop_largest(), None);
}
