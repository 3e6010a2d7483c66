//! Where runs came to preemption points, and what became of them: the lines of the source that a campaign is about.

use crate::board::Board;
use crate::campaign::Record;
use crate::job::{Job, JobId};
use crate::naming::{Namer, location};
use crate::points::Points;
use crate::{Candidate, RaceStatus};
use gabion_trace::{Frame, Point, Trace};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Points of which it is remembered that they are known.
const RECENT: usize = 64;

/// Points of the runs of one space: instructions, and the class by which each was a point.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Reached {
    points: BTreeSet<(u64, Point)>,
    sealed: BTreeSet<(u64, Point)>,
    /// Some of the points, where a look finds them: runs come to the same ones again and again.
    #[serde(skip)]
    recent: Vec<(u64, Point)>,
    /// Memory for the class of the point at which each thread stands.
    #[serde(skip)]
    stands: Vec<Point>,
}

impl Reached {
    /// Takes a run in, of which the first `shared` steps are those of the last one. A step's point is that of the thread before it;
    /// the thread goes on from there with its own next step.
    pub(crate) fn take(&mut self, trace: &Trace, shared: usize) {
        let Reached { points, sealed, recent, stands } = self;
        recent.resize(RECENT, (0, Point::Voluntary));
        stands.clear();
        stands.resize(trace.threads.len(), Point::Voluntary);
        let mut before = None;
        for (index, step) in trace.steps.iter().enumerate() {
            if let Some(class) = before.and_then(|thread: usize| stands.get_mut(thread)) {
                *class = step.point;
            }
            before = Some(step.thread.index());
            if index < shared {
                continue;
            }
            let class = stands.get(step.thread.index()).copied().unwrap_or(Point::Voluntary);
            let Some(pc) = step.pending.map(|pending| pending.pc).filter(|pc| *pc != 0) else { continue };
            let known = &mut recent[(pc ^ pc >> 6) as usize % RECENT];
            if *known != (pc, class) {
                *known = (pc, class);
                points.insert((pc, class));
            }
        }
        sealed.extend(&trace.sealed);
    }

    /// Did a thread stand there, by a class of this sort?
    fn has(&self, pc: u64, class: Point) -> bool {
        let mut classes = self.points.range((pc, Point::Voluntary)..=(pc, Point::Visible)).map(|(_, class)| *class);
        classes.any(|there| class == Point::Voluntary || there != Point::Voluntary)
    }
}

/// Call sites above instructions at which threads stood, outermost first, as far as runs with stacks have shown them.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Callers(Vec<(u64, Vec<u64>)>);

impl Callers {
    /// Takes a run in, which has stacks.
    pub(crate) fn take(&mut self, trace: &Trace) {
        let stands = trace.steps.iter().filter_map(|step| Some((step.pending?.pc, trace.stack(step).to_vec())));
        self.0.extend(stands);
        self.0.sort_unstable();
        self.0.dedup();
    }

    /// All stacks above an instruction that are known, or at least that there is something above it.
    fn of(&self, pc: u64) -> Vec<&[u64]> {
        let from = self.0.partition_point(|(known, _)| *known < pc);
        let stacks: Vec<&[u64]> =
            self.0[from..].iter().take_while(|(known, _)| *known == pc).map(|(_, sites)| sites.as_slice()).collect();
        if stacks.is_empty() { vec![&[]] } else { stacks }
    }
}

/// What is known of the points on a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LineState {
    /// A data race there was not tested.
    Untested,
    /// Points there were sealed off.
    Sealed,
    /// Not all was explored that may happen if a thread is stopped there: by no space that stops it there.
    Open,
    /// Whatever happens if a thread is stopped there was explored, with switches at the points of some space that has it.
    Covered,
}

/// A line of the source with preemption points.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// `file:line`.
    pub place: String,
    /// By which classes there are points.
    pub classes: BTreeSet<Point>,
    /// What is known of them.
    pub states: BTreeSet<LineState>,
}

/// All lines with points or with data races that were not tested, by their places. `all`: some space holds every interleaving.
pub(crate) fn lines(
    namer: &mut Namer<'_>,
    board: &Board,
    records: &[Record],
    callers: &Callers,
    races: &[Candidate],
    all: bool,
) -> Vec<Line> {
    let mut lines = Lines::default();
    let mut places = |pc: u64| -> BTreeSet<String> {
        let stacks = callers.of(pc).into_iter().map(|sites| namer.stack(pc, sites));
        let own =
            |stack: Vec<Frame>| Frame::place(&stack).filter(|f| !f.is_library() && f.line.is_some()).and_then(location);
        stacks.filter_map(own).collect()
    };
    let reached = |(id, job): (JobId, &Job)| {
        let points = records[id.0].facts.reached.points.iter();
        points.map(|(pc, class)| (*pc, class_in(&job.points, *class))).collect::<Vec<_>>()
    };
    for (pc, class) in board.jobs().flat_map(reached).collect::<BTreeSet<_>>() {
        let whole = |(id, job): &(JobId, &Job)| job.explored && !records[id.0].facts.guessed();
        let mut explored = board.jobs().filter(whole).filter(|(_, job)| is_point(&job.points, pc, class));
        let covered = all || explored.any(|(id, _)| records[id.0].facts.reached.has(pc, class));
        let state = if covered { LineState::Covered } else { LineState::Open };
        places(pc).into_iter().for_each(|place| lines.add(place, class, state));
    }
    let sealed = records.iter().flat_map(|record| &record.facts.reached.sealed);
    for (pc, class) in sealed.copied().collect::<BTreeSet<_>>() {
        places(pc).into_iter().for_each(|place| lines.add(place, class, LineState::Sealed));
    }
    for race in races.iter().filter(|race| race.status == RaceStatus::Untested) {
        race.racers.iter().for_each(|racer| lines.add(racer.location(), Point::Race, LineState::Untested));
    }
    lines.0.into_values().map(Line::from).collect()
}

/// The classes of a line's points, with what became of each.
type Known = BTreeSet<(Point, LineState)>;

/// What is known of each line, by file and number: its place in full, and its points.
#[derive(Default)]
struct Lines(BTreeMap<(String, u32), (String, Known)>);

impl Lines {
    fn add(&mut self, place: String, class: Point, state: LineState) {
        let (file, number) = place.rsplit_once(':').unwrap_or((&place, ""));
        let key = (file.to_string(), number.parse().unwrap_or(0));
        self.0.entry(key).or_insert_with(|| (place, BTreeSet::new())).1.insert((class, state));
    }
}

impl From<(String, Known)> for Line {
    /// That a thread may be stopped where it waits or gives way is told only where there is nothing else to tell. Covered is
    /// what is covered throughout.
    fn from((place, mut known): (String, Known)) -> Self {
        if known.iter().any(|(class, _)| *class != Point::Voluntary) {
            known.retain(|(class, _)| *class != Point::Voluntary);
        }
        let classes = known.iter().map(|(class, _)| *class).collect();
        let mut states: BTreeSet<LineState> = known.iter().map(|(_, state)| *state).collect();
        if states.contains(&LineState::Open) {
            states.remove(&LineState::Covered);
        }
        Line { place, classes, states }
    }
}

/// The class by which there was a point in a space with these points. After a create there is one in every space, which runs call
/// by the same class as that after an unlock.
fn class_in(points: &Points, class: Point) -> Point {
    if class == Point::Unlock && !points.classes().has(class) { Point::Voluntary } else { class }
}

/// Would a thread stop at this instruction for the sake of this class in a space with these points?
fn is_point(points: &Points, pc: u64, class: Point) -> bool {
    let classes = points.classes();
    classes.has(Point::Everywhere) || classes.has(class) || class == Point::Race && points.has_race(&pc.into())
}
