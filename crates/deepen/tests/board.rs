//! Iterative Deepening's choices on a simulated workload: state spaces of known size, estimates as noisy as we like.

use gabion_deepen::{Board, JobId, Lineage, Points, RaceSite, Rank, Status};
use gabion_trace::{Point, PointSet, ThreadId, ThreadInfo};

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
    // Twice the horizon is too much, but not before 32 runs.
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
        board.end(next, true, false);
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
    board.end(a, true, false);
    suspended(&mut board, b, 900.0);
    searched(&mut board, c, 100, 800.0);
    // {lock, unlock} contains {lock}, which is suspended; {lock} is worse than {unlock} itself.
    assert_eq!(board.choose(Some(c), 10.0), Some(c));
    // If {lock} is thought to be better, it is resumed.
    suspended(&mut board, b, 700.0);
    assert_eq!(board.choose(Some(c), 10.0), Some(b));
    // Without the suspended part, {lock, unlock} may begin.
    board.end(b, true, false);
    assert_eq!(board.choose(Some(c), 10.0), Some(d));
}

#[test]
fn estimates_that_are_the_wrong_way_round() {
    let (mut board, [a, b, c, d]) = seeded();
    board.end(a, true, false);
    // The larger of the two suspended ones claims to be smaller: the smaller set is believed.
    suspended(&mut board, b, 500.0);
    suspended(&mut board, d, 400.0);
    searched(&mut board, c, 100, 600.0);
    assert_eq!(board.choose(Some(c), 10.0), Some(b));
    // A job is not left for one that contains it.
    board.end(b, true, false);
    suspended(&mut board, d, 400.0);
    assert_eq!(board.choose(Some(c), 10.0), Some(c));
}

#[test]
fn nothing_better_is_no_reason_to_stop() {
    let (mut board, [a, b, c, d]) = seeded();
    for id in [a, b, c] {
        board.end(id, true, false);
    }
    searched(&mut board, d, 1000, 1e9);
    assert_eq!(board.choose(Some(d), 1.0), Some(d));
    board.end(d, true, false);
    assert_eq!(board.choose(Some(d), 1.0), None);
}

#[test]
fn a_bug_cancels_what_contains_it() {
    let (mut board, [a, b, c, d]) = seeded();
    board.end(a, true, false);
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
    board.end(d, true, false);
    for id in [a, b, c, d] {
        assert_eq!(board.job(id).status, Status::Complete);
    }
    assert_eq!([a, b, c].map(|id| board.job(id).covered_by), [Some(d.0); 3]);
    assert_eq!(board.job(d).covered_by, None);
    let late = board.add(locks().with_class(Point::Unlock), Rank::Seed, false);
    assert!(late.is_none_or(|id| board.job(id).covered_by == Some(d.0)), "whoever comes later knows it too");
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

/// State spaces of known sizes, searched ten runs at a time, with estimates of what is left that are wrong by a factor.
struct Workload {
    board: Board,
    sizes: Vec<u64>,
    /// By job and how often it was asked: what the truth is multiplied by.
    noise: fn(JobId, u64) -> f64,
    /// Jobs in the order of their episodes.
    episodes: Vec<JobId>,
}

impl Workload {
    /// Runs until the budget is spent or nothing is left; gives what is left of the budget. The horizon is what was spent, and 100 at least.
    fn run(&mut self, mut budget: u64) -> u64 {
        let (mut current, all) = (None, budget);
        while budget > 0 {
            let Some(next) = self.board.choose(current, (all - budget).max(100) as f64) else { return budget };
            self.board.switch(current, next);
            current = Some(next);
            self.episodes.push(next);
            let asked = self.episodes.iter().filter(|id| **id == next).count() as u64;
            let size = self.sizes[next.0];
            let job = self.board.job_mut(next);
            let runs = budget.min(10).min(size - job.runs);
            job.runs += runs;
            budget -= runs;
            job.estimate = Some((size - job.runs) as f64 * (self.noise)(next, asked));
            if job.runs == size {
                self.board.end(next, true, false);
            }
        }
        0
    }

    fn statuses(&self) -> Vec<Status> {
        self.board.jobs().map(|(_, job)| job.status).collect()
    }
}

fn workload(sizes: [u64; 4], noise: fn(JobId, u64) -> f64) -> Workload {
    let (board, _) = seeded();
    Workload { board, sizes: sizes.to_vec(), noise, episodes: Vec::new() }
}

#[test]
fn what_is_short_is_completed_and_the_rest_gets_what_is_left() {
    use Status::{Complete, Running, Suspended};
    let mut work = workload([20, 300, 9_000, 50_000], |_, _| 1.0);
    assert_eq!(work.run(1_000), 0);
    // The second, third and fourth are put aside after 32 runs; then the smallest is searched to its end, and the next gets the rest.
    assert_eq!(work.statuses(), [Complete, Complete, Running, Suspended]);
    assert_eq!(work.board.job(JobId(3)).runs, 40);
    assert_eq!(work.board.job(JobId(2)).runs, 1_000 - 20 - 300 - 40);
    // Everything fits: the largest is last, and nothing of the budget is wasted on what it covers.
    let mut small = workload([20, 300, 90, 500], |_, _| 1.0);
    assert_eq!(small.run(10_000), 10_000 - 20 - 300 - 90 - 500);
    assert_eq!(small.statuses(), [Complete; 4]);
}

#[test]
fn an_estimate_that_was_too_high_costs_no_completion() {
    // Twenty times too much at first: the second is put aside, the third is searched, and then the second again.
    let mut work = workload([20, 200, 100, 100_000], |id, asked| if id.0 == 1 && asked < 10 { 20.0 } else { 1.0 });
    assert_eq!(work.run(600), 0);
    assert_eq!(&work.statuses()[..3], [Status::Complete; 3]);
    let first = |id: usize| work.episodes.iter().position(|job| job.0 == id);
    let last = |id: usize| work.episodes.iter().rposition(|job| job.0 == id);
    assert!(first(1) < first(2) && last(2) < last(1), "{:?}", work.episodes);
}

#[test]
fn noise_never_loses_a_job() {
    // Wrong by factors of up to eight either way, differently each time.
    let noise = |id: JobId, asked: u64| {
        let mixed = (id.0 as u64 * 31 + asked).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 60;
        2f64.powi(mixed as i32 % 7 - 3)
    };
    for budget in [200, 500, 1_000, 1_400] {
        let mut work = workload([30, 200, 250, 400], noise);
        let left = work.run(budget);
        let done: u64 = work.board.jobs().map(|(_, job)| job.runs).sum();
        assert_eq!(done + left, budget);
        // With enough of a budget everything is complete, whatever the estimates said.
        assert!(budget < 1_000 || work.statuses() == [Status::Complete; 4], "{budget}: {:?}", work.statuses());
        assert!(work.statuses()[0] == Status::Complete);
    }
}

#[test]
fn a_bug_in_the_middle_cancels_what_is_larger() {
    let mut work = workload([20, 300, 90, 500], |_, _| 1.0);
    work.board.switch(None, JobId(1));
    work.board.found_bug(JobId(1));
    assert_eq!(work.statuses()[3], Status::Cancelled);
    assert_eq!(work.run(1_000), 1_000 - 20 - 90);
    assert_eq!(work.statuses()[2], Status::Complete);
}

#[test]
fn where_code_runs_unseen_no_job_speaks_for_another() {
    let (mut board, [a, _, _, d]) = seeded();
    board.unseen = true;
    board.switch(None, d);
    board.end(d, true, false);
    assert_eq!((board.job(d).status, board.job(a).status), (Status::Complete, Status::Pending));
    add_race(&mut board, a, 7, Rank::SingleOrder);
    assert!(board.jobs().skip(4).all(|(_, job)| job.status == Status::Pending));
    assert!(!board.is_covered(&yields()));
}

#[test]
fn an_instruction_in_one_thread_completes_nothing_that_has_it_in_all() {
    let table = [0, 0, 1].map(|nth| ThreadInfo { parent: ThreadId::MAIN, nth, start: 0 });
    let by = |number| RaceSite { pc: 7, thread: Some(Lineage::of(ThreadId(number), &table)) };
    let (one, other, all) = (both().with_race(by(1)), both().with_race(by(2)), both().with_race(7));
    assert!(one.is_proper_subset(&all) && !all.is_subset(&one) && !one.is_subset(&other));
    assert!(!all.is_subset(&one.union(&other)), "there may be a third thread");
    let mut board = Board::default();
    let [one, other, all] = [one, other, all].map(|points| board.add(points, Rank::Seed, false).expect("new"));
    board.end(one, true, false);
    assert_eq!([one, other, all].map(|id| board.job(id).explored), [true, false, false]);
    board.end(all, true, false);
    assert_eq!(board.job(other).status, Status::Complete);
}

#[test]
fn more_rounds_of_loops_hold_fewer_and_never_the_other_way_round() {
    let (shallow, deep) = (both(), both().deeper().expect("twice as many"));
    assert!(shallow.is_proper_subset(&deep) && !deep.is_subset(&shallow));
    assert!(!Points::of(PointSet::EVERYWHERE).as_deep_as(&shallow).is_subset(&deep));
    assert!(!deep.is_subset(&Points::of(PointSet::EVERYWHERE)));
    assert_eq!((shallow.doublings(), deep.doublings()), (0, 1));
    assert!((0..12).try_fold(both(), |points, _| points.deeper()).is_some_and(|points| points.deeper().is_none()));
}

#[test]
fn a_deep_job_begets_deep_jobs_and_completes_shallow_ones() {
    let (mut board, [a, _, _, d]) = seeded();
    let deep = board.add(both().deeper().expect("twice as many"), Rank::Seed, false).expect("new");
    assert!(board.of_race(deep, 7).iter().all(|(points, _)| points.doublings() == 1));
    board.end(d, true, false);
    assert_eq!((board.job(a).status, board.job(deep).status), (Status::Complete, Status::Pending));
    assert_eq!(
        board.add(yields().as_deep_as(&both()).with_race(7), Rank::Seed, true).map(|id| board.job(id).status),
        Some(Status::Pending)
    );
    board.settle(d);
    assert_eq!(board.open(), [deep], "what is shallow is in the one that ended");
}
