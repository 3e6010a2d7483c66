//! Random programs, small enough that brute force visits all their interleavings.

use crate::explore::Exhaustive;
use crate::program::{Program, Statement, Value};
use gabion_trace::{Point, PointSet};
use proptest::prelude::*;

/// Which kind of programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// Reads, writes, read-modify-writes, mutexes, create and join.
    Memory,
    /// Everything there is.
    Everything,
    /// Many choices other than threads: which waiter, timeouts, the program's own.
    Choices,
    /// Ends in the middle: exits, assertions, deadlocks.
    Exits,
    /// Everything, but few classes of operations are points, so that a step holds several.
    Coarse,
    /// As `Memory`, but every thread is joined and every mutex released in order, so that no run ends early; and what an
    /// operation touches does not depend on values.
    Tidy,
    /// As `Memory`, but mutexes are also unlocked by threads that do not hold them, which a plain mutex allows.
    Strangers,
    /// Mostly code that only the first thread to come runs.
    Onces,
    /// Blocks that are handed around and freed, mostly while others still use them; freed memory is reused at once.
    Recycled,
}

/// A program and the preemption points to run it with.
#[derive(Clone, Debug)]
pub struct Case {
    /// The program.
    pub program: Program,
    /// The points.
    pub points: PointSet,
    /// Freed memory is reused at once.
    pub recycle: bool,
}

/// Random programs with at most so many interleavings.
pub fn cases(profile: Profile, most: u64) -> BoxedStrategy<Case> {
    (parts(profile), points(profile))
        .prop_map(move |(parts, points)| parts.fit(points, profile == Profile::Recycled, most))
        .boxed()
}

/// Statements that belong together.
type Chunk = Vec<Statement>;

/// A program in the making: main creates some threads, does something and joins some of them; the first of them may
/// create another. So numbers of threads depend on the schedule.
#[derive(Clone, Debug)]
struct Parts {
    /// What main does before it creates threads.
    before: Chunk,
    /// What main does, and then each thread.
    bodies: Vec<Vec<Chunk>>,
    joins: Vec<bool>,
    /// What the first thread's own child does, and after how many chunks it is created.
    leaf: Option<(Vec<Chunk>, usize)>,
    semaphores: Vec<u32>,
}

impl Parts {
    fn build(&self) -> Program {
        let count = self.bodies.len() - 1;
        let mut bodies: Vec<Vec<Statement>> = self.bodies.iter().map(|chunks| chunks.concat()).collect();
        let joins = (0..count).filter(|child| self.joins[*child]).map(Statement::Join);
        let creates = (1..=count).map(Statement::Create);
        bodies[0] = self.before.iter().copied().chain(creates).chain(bodies[0].iter().copied()).chain(joins).collect();
        if let Some((leaf, after)) = &self.leaf {
            let first = &self.bodies[1];
            let at = first[..(*after).min(first.len())].concat().len();
            bodies[1].insert(at, Statement::Create(count + 1));
            bodies.push(leaf.concat());
        }
        Program { bodies, semaphores: self.semaphores.clone(), barriers: vec![2] }
    }

    /// Drops chunks from the end of the longest body until brute force can visit everything.
    fn fit(mut self, points: PointSet, recycle: bool, most: u64) -> Case {
        loop {
            let program = self.build();
            let longest = self.bodies.iter_mut().max_by_key(|chunks| chunks.concat().len());
            let longest = longest.filter(|chunks| !chunks.is_empty());
            let fits = || (Exhaustive { points, most, recycle, ..Exhaustive::default() }).count(&program).is_some();
            match longest {
                Some(longest) if !fits() => longest.pop(),
                _ => return Case { program, points, recycle },
            };
        }
    }
}

fn points(profile: Profile) -> BoxedStrategy<PointSet> {
    let none = PointSet::VOLUNTARY;
    match profile {
        Profile::Coarse => prop::sample::select(vec![
            none,
            PointSet::SYNC,
            none.with(Point::Lock),
            none.with(Point::Unlock),
            none.with(Point::Lock).with(Point::Unlock),
            none.with(Point::Other),
            none.with(Point::Atomic),
            none.with(Point::Atomic).with(Point::Other),
            none.with(Point::Everywhere),
        ])
        .boxed(),
        _ => Just(PointSet::EVERYWHERE).boxed(),
    }
}

fn parts(profile: Profile) -> BoxedStrategy<Parts> {
    let most = if profile == Profile::Coarse { 5 } else { 3 };
    let tidy = profile == Profile::Tidy;
    let chunks = |most: usize| prop::collection::vec(chunk(profile), 0..=most);
    let bodies = prop::collection::vec(chunks(most), 2..=4);
    let joins = prop::collection::vec(any::<bool>().prop_map(move |joined| joined || tidy), 3);
    let leaf = prop::option::weighted(0.2, (chunks(1), 0usize..3)).prop_map(move |leaf| leaf.filter(|_| !tidy));
    let semaphores = prop::collection::vec(0u32..2, 2);
    (bodies, joins, leaf, semaphores)
        .prop_map(move |(bodies, joins, leaf, semaphores)| Parts {
            before: before(profile),
            bodies,
            joins,
            leaf,
            semaphores,
        })
        .boxed()
}

/// Where blocks are handed around there is one from the beginning.
fn before(profile: Profile) -> Chunk {
    match profile {
        Profile::Recycled => vec![Statement::Alloc(2), Statement::Write(2, Value::of(2))],
        _ => Chunk::new(),
    }
}

fn chunk(profile: Profile) -> BoxedStrategy<Chunk> {
    match profile {
        Profile::Memory => prop_oneof![4 => memory(), 1 => exchange(), 2 => mutex(), 1 => branch()].boxed(),
        Profile::Tidy => prop_oneof![5 => memory(), 2 => guarded()].boxed(),
        Profile::Strangers => {
            let unlock = (0usize..2).prop_map(|m| vec![Statement::Unlock(m)]);
            prop_oneof![3 => memory(), 2 => mutex(), 1 => unlock].boxed()
        }
        Profile::Onces => prop_oneof![1 => memory(), 4 => once()].boxed(),
        Profile::Recycled => prop_oneof![1 => memory(), 5 => recycled(), 1 => guarded()].boxed(),
        Profile::Everything | Profile::Coarse => prop_oneof![
            4 => memory(),
            1 => exchange(),
            2 => mutex(),
            2 => rwlock(),
            2 => once(),
            2 => cond(),
            2 => semaphore(),
            2 => misc(),
            1 => branch(),
            1 => block(),
            1 => choice(),
        ]
        .boxed(),
        Profile::Choices => prop_oneof![2 => memory(), 3 => cond(), 2 => choice(), 1 => mutex(), 1 => branch()].boxed(),
        Profile::Exits => {
            prop_oneof![3 => memory(), 1 => exchange(), 2 => mutex(), 2 => ending(), 1 => branch()].boxed()
        }
    }
}

fn variable() -> impl Strategy<Value = usize> {
    0usize..2
}
fn register() -> impl Strategy<Value = usize> {
    0usize..2
}

fn value() -> BoxedStrategy<Value> {
    prop_oneof![
        (1i64..4).prop_map(Value::Const),
        (register(), 0i64..3).prop_map(|(register, plus)| Value::Sum(register, plus)),
    ]
    .boxed()
}

fn memory() -> BoxedStrategy<Chunk> {
    use Statement::*;
    prop_oneof![
        3 => (variable(), register()).prop_map(|(x, r)| Read(x, r)),
        3 => (variable(), value()).prop_map(|(x, v)| Write(x, v)),
        1 => (variable(), register()).prop_map(|(x, r)| Load(x, r)),
        1 => (variable(), value()).prop_map(|(x, v)| Store(x, v)),
        2 => (variable(), 1i64..3, register()).prop_map(|(x, plus, r)| Update(x, plus, r)),
    ]
    .prop_map(|statement| vec![statement])
    .boxed()
}

/// What is touched depends on what is there: an exchange that fails only reads.
fn exchange() -> BoxedStrategy<Chunk> {
    (variable(), 0i64..3, 1i64..4, register()).prop_map(|(x, old, new, r)| vec![Statement::Cas(x, old, new, r)]).boxed()
}

/// Something within a lock.
fn guarded() -> BoxedStrategy<Chunk> {
    use Statement::{Lock, Unlock};
    (0usize..2, memory()).prop_map(|(m, inner)| [vec![Lock(m)], inner, vec![Unlock(m)]].concat()).boxed()
}

/// Around something, or never released.
fn mutex() -> BoxedStrategy<Chunk> {
    use Statement::{Lock, Unlock};
    let nested = (0usize..2).prop_map(|m| vec![Lock(m), Lock(1 - m), Unlock(1 - m), Unlock(m)]);
    prop_oneof![
        5 => guarded(),
        1 => nested,
        1 => (0usize..2).prop_map(|m| vec![Lock(m)]),
    ]
    .boxed()
}

fn rwlock() -> BoxedStrategy<Chunk> {
    use Statement::{IfEq, ReadLock, RwUnlock, WriteLock, WriteTryLock};
    let around =
        |lock: Statement| memory().prop_map(move |inner| [vec![lock], inner, vec![RwUnlock(0)]].concat()).boxed();
    prop_oneof![
        3 => around(ReadLock(0)),
        3 => around(WriteLock(0)),
        1 => register().prop_map(|r| vec![WriteTryLock(0, r), IfEq(r, 0, 1), RwUnlock(0)]),
        1 => Just(vec![ReadLock(0)]),
    ]
    .boxed()
}

/// Around something, or nothing, or another once.
fn once() -> BoxedStrategy<Chunk> {
    use Statement::{Once, OnceDone};
    let around = |n: usize, inner: Chunk| [vec![Once(n, inner.len() + 1)], inner, vec![OnceDone(n)]].concat();
    prop_oneof![
        4 => memory().prop_map(move |inner| around(0, inner)),
        2 => Just(around(0, Chunk::new())),
        1 => (0usize..2).prop_map(move |n| around(n, around(1 - n, Chunk::new()))),
        1 => Just(around(0, around(0, Chunk::new()))),
    ]
    .boxed()
}

fn cond() -> BoxedStrategy<Chunk> {
    use Statement::*;
    let plain = variable().prop_map(|x| vec![Lock(0), Read(x, 0), IfEq(0, 0, 1), CondWait(0, 0), Unlock(0)]);
    prop_oneof![
        1 => plain,
        2 => Just(vec![Lock(0), CondWait(0, 0), Unlock(0)]),
        2 => register().prop_map(|r| vec![Lock(0), CondTimedWait(0, 0, r), Unlock(0)]),
        4 => Just(vec![Signal(0)]),
        1 => Just(vec![Broadcast(0)]),
        1 => Just(vec![Lock(0), Signal(0), Unlock(0)]),
    ]
    .boxed()
}

fn semaphore() -> BoxedStrategy<Chunk> {
    use Statement::{SemPost, SemTryWait, SemWait};
    prop_oneof![
        2 => (0usize..2).prop_map(|s| vec![SemWait(s)]),
        3 => (0usize..2).prop_map(|s| vec![SemPost(s)]),
        1 => (0usize..2, register()).prop_map(|(s, r)| vec![SemTryWait(s, r)]),
    ]
    .boxed()
}

fn misc() -> BoxedStrategy<Chunk> {
    use Statement::*;
    prop_oneof![
        2 => (0usize..2, register()).prop_map(|(m, r)| vec![TryLock(m, r), IfEq(r, 0, 1), Unlock(m)]),
        2 => (variable(), 1i64..3, 1u32..4).prop_map(|(x, v, n)| vec![Spin(x, v, n)]),
        2 => Just(vec![Barrier(0)]),
        1 => Just(vec![Yield]),
        1 => Just(vec![Local]),
    ]
    .boxed()
}

fn branch() -> BoxedStrategy<Chunk> {
    (variable(), register(), 0i64..3, memory())
        .prop_map(|(x, r, value, inner)| [vec![Statement::Read(x, r), Statement::IfEq(r, value, 1)], inner].concat())
        .boxed()
}

/// Blocks that other threads reach through a variable.
fn block() -> BoxedStrategy<Chunk> {
    use Statement::*;
    prop_oneof![
        2 => Just(vec![Alloc(2), WriteAt(2, Value::Const(7)), Write(2, Value::of(2))]),
        2 => Just(vec![Read(2, 3), IfEq(3, 0, 1), Exit, ReadAt(3, 0)]),
        1 => Just(vec![Read(2, 3), ReadAt(3, 0)]),
        1 => Just(vec![Read(2, 3), Free(3)]),
        1 => Just(vec![Alloc(2), Write(2, Value::of(2)), Free(2)]),
    ]
    .boxed()
}

/// Use of the block that is handed around, and of others that get its memory.
fn recycled() -> BoxedStrategy<Chunk> {
    use Statement::*;
    let get = || prop_oneof![2 => Just(vec![Load(2, 3)]), 1 => Just(vec![Lock(0), Read(2, 3), Unlock(0)])];
    let (write, new) = (WriteAt(3, Value::Const(1)), [Alloc(2), WriteAt(2, Value::Const(2))]);
    let then = move |rest: Vec<Statement>| get().prop_map(move |get| [get, rest.clone()].concat());
    prop_oneof![
        2 => then(vec![write]),
        1 => then(vec![ReadAt(3, 0)]),
        2 => then(vec![write, Free(3)]),
        2 => then(vec![Alloc(2), write]),
        1 => then(vec![new[0], new[1], write]),
        2 => Just(vec![new[0], new[1], Free(2)]),
        2 => Just(vec![new[0], new[1], Store(2, Value::of(2))]),
        1 => Just(vec![Lock(0), new[0], new[1], Write(2, Value::of(2)), Unlock(0)]),
    ]
    .boxed()
}

fn choice() -> BoxedStrategy<Chunk> {
    use Statement::{Choose, IfEq, Write};
    prop_oneof![
        2 => (2u32..4, register()).prop_map(|(n, r)| vec![Choose(n, r)]),
        2 => (register(), variable()).prop_map(|(r, x)| vec![Choose(2, r), IfEq(r, 1, 1), Write(x, Value::Const(5))]),
        1 => (register(), variable()).prop_map(|(r, x)| vec![Choose(2, r), Write(x, Value::of(r))]),
    ]
    .boxed()
}

fn ending() -> BoxedStrategy<Chunk> {
    use Statement::{Assert, Exit, IfEq, Read};
    prop_oneof![
        1 => Just(vec![Exit]),
        3 => (variable(), register(), 0i64..3).prop_map(|(x, r, v)| vec![Read(x, r), Assert(r, v)]),
        3 => (variable(), register(), 1i64..3).prop_map(|(x, r, v)| vec![Read(x, r), IfEq(r, v, 1), Exit]),
    ]
    .boxed()
}
