//! Happens-before as the definitions have it: every pair of events is asked for an edge, and the edges are closed.

use gabion_trace::{Access, AccessKind, Address, Event, OpKind, Space, Trace};
use std::collections::BTreeSet;

const OWNER_DIED: u32 = 130;
const ACQUIRE_FENCES: [u32; 4] = [1, 2, 4, 5];
const RELEASE_FENCES: [u32; 3] = [3, 4, 5];

struct Happened {
    thread: usize,
    event: Event,
    /// Which round of its barrier an arrival or a wait belongs to.
    round: usize,
}

/// Pairs of instructions that race, as they came.
pub fn races(trace: &Trace) -> BTreeSet<(u64, u64)> {
    pairs(trace, |_, _| true)
}

/// Those whose memory was the same block all the time.
pub fn races_of_one_block(trace: &Trace) -> BTreeSet<(u64, u64)> {
    pairs(trace, |between, access| {
        let recycles = |h: &Happened| match h.event {
            Event::Alloc { address, size, .. } => {
                let block = Access { address: Address::memory(address), size, kind: AccessKind::WRITE, pc: 0 };
                block.conflicts(access)
            }
            _ => false,
        };
        !between.iter().any(recycles)
    })
}

/// Does one of the trace's events happen before another?
pub fn is_ordered(trace: &Trace, first: u32, second: u32) -> bool {
    closed(&flat(trace))[first as usize][second as usize]
}

fn pairs(trace: &Trace, counts: impl Fn(&[Happened], &Access) -> bool) -> BTreeSet<(u64, u64)> {
    let all = flat(trace);
    let order = closed(&all);
    let mut races = BTreeSet::new();
    for (j, second) in all.iter().enumerate() {
        for (i, first) in all[..j].iter().enumerate() {
            if let (Some(a), Some(b)) = (memory(&first.event), memory(&second.event)) {
                let atomic = a.kind.has(AccessKind::ATOMIC) && b.kind.has(AccessKind::ATOMIC);
                if first.thread != second.thread && a.conflicts(&b) && !atomic && !order[i][j] && counts(&all[i..j], &b)
                {
                    races.insert((a.pc, b.pc));
                }
            }
        }
    }
    races
}

fn flat(trace: &Trace) -> Vec<Happened> {
    let mut all: Vec<Happened> = Vec::new();
    for step in &trace.steps {
        for event in trace.events(step) {
            let thread = step.thread.index();
            let mut round = 0;
            if let Event::Op { op, object, result, .. } = *event {
                let arrivals = |h: &&Happened| matches!(h.event, Event::Op { op: OpKind::BarrierArrive, object: o, .. } if o == object);
                round = match op {
                    OpKind::BarrierArrive => {
                        all.iter().rev().find(arrivals).map_or(0, |h| h.round) + usize::from(result == 1)
                    }
                    OpKind::BarrierWait => {
                        all.iter().rev().filter(arrivals).find(|h| h.thread == thread).map_or(0, |h| h.round)
                    }
                    _ => 0,
                };
            }
            all.push(Happened { thread, event: *event, round });
        }
    }
    all
}

fn memory(event: &Event) -> Option<Access> {
    match event {
        Event::Access { access, .. } if access.address.space() == Some(Space::Memory) => Some(*access),
        _ => None,
    }
}

fn closed(all: &[Happened]) -> Vec<Vec<bool>> {
    let n = all.len();
    let mut order = vec![vec![false; n]; n];
    for j in 0..n {
        for i in 0..j {
            order[i][j] = all[i].thread == all[j].thread || synchronises(&all[i], &all[j]);
        }
    }
    for j in 0..n {
        for i in releases_read_by(all, j) {
            for to in acquires_of(all, j) {
                order[i][to] |= i < to;
            }
        }
    }
    for k in 0..n {
        let after = order[k].clone();
        for before in order.iter_mut().filter(|before| before[k]) {
            before.iter_mut().zip(&after).for_each(|(known, more)| *known |= more);
        }
    }
    order
}

/// Does the later event synchronise with the earlier through an object or a thread?
fn synchronises(first: &Happened, second: &Happened) -> bool {
    use OpKind::*;
    let thread = |object: Address| object.offset() as usize;
    match (first.event, second.event) {
        (Event::Wake { thread }, _) => thread.index() == second.thread,
        (Event::Access { access, .. }, Event::Alloc { address, .. }) => {
            access.kind.has(AccessKind::FREE) && access.address == Address::memory(address)
        }
        (Event::Op { op: Create, object, .. }, _) if thread(object) == second.thread => true,
        (Event::Op { op, object, result, .. }, Event::Op { op: later, object: same, result: then, .. })
            if object == same =>
        {
            let taken = then == 0 || then == OWNER_DIED;
            let given = result == 0 || result == OWNER_DIED;
            match op {
                MutexUnlock | SpinUnlock => {
                    given
                        && taken
                        && matches!(
                            later,
                            MutexLock | MutexTryLock | MutexTimedLock | CondReacquire | SpinLock | SpinTryLock
                        )
                }
                WriteUnlock => taken && matches!(later, ReadLock | WriteLock | ReadTryLock | WriteTryLock),
                ReadUnlock => taken && matches!(later, WriteLock | WriteTryLock),
                ThreadEnd => taken && matches!(later, Join | TryJoin),
                SemPost => later == SemWait || taken && matches!(later, SemTryWait | SemTimedWait),
                OnceDone => later == Once,
                BarrierArrive => matches!(later, BarrierArrive | BarrierWait) && first.round == second.round,
                _ => false,
            }
        }
        _ => false,
    }
}

fn atomic(all: &[Happened], at: usize) -> Option<Access> {
    memory(&all[at].event).filter(|a| a.kind.has(AccessKind::ATOMIC))
}

fn fence(all: &[Happened], at: usize, orders: &[u32]) -> bool {
    matches!(all[at].event, Event::Op { op: OpKind::Fence, result, .. } if orders.contains(&result))
}

/// The releases whose sequences the atomic read `j` reads from: those of each byte, whatever the sizes of the accesses.
fn releases_read_by(all: &[Happened], j: usize) -> Vec<usize> {
    let Some(read) = atomic(all, j).filter(|a| a.kind.reads()) else { return Vec::new() };
    let bytes =
        (0..read.size).map(|byte| Access { address: Address(read.address.0 + u64::from(byte)), size: 1, ..read });
    let mut releases = Vec::new();
    for byte in bytes {
        let touched = |w: &Access| Access { kind: AccessKind::WRITE, ..*w }.conflicts(&byte);
        let writes: Vec<usize> =
            (0..j).filter(|i| atomic(all, *i).is_some_and(|w| w.kind.writes() && touched(&w))).collect();
        for (k, head) in writes.iter().enumerate() {
            // Everything after the head, up to what is read, is by its thread or a read-modify-write.
            let continued =
                |w: &usize| all[*w].thread == all[*head].thread || atomic(all, *w).is_some_and(|a| a.kind.reads());
            if !writes[k + 1..].iter().all(continued) {
                continue;
            }
            if atomic(all, *head).is_some_and(|a| a.kind.has(AccessKind::RELEASE)) {
                releases.push(*head);
            }
            let before = |i: &usize| all[*i].thread == all[*head].thread && fence(all, *i, &RELEASE_FENCES);
            releases.extend((0..*head).filter(before));
        }
    }
    releases
}

/// Where what the atomic read `j` reads is acquired: there, or at the fences after it.
fn acquires_of(all: &[Happened], j: usize) -> Vec<usize> {
    let mut acquires = Vec::new();
    if atomic(all, j).is_some_and(|a| a.kind.has(AccessKind::ACQUIRE)) {
        acquires.push(j);
    }
    let after = |i: &usize| all[*i].thread == all[j].thread && fence(all, *i, &ACQUIRE_FENCES);
    acquires.extend((j..all.len()).filter(after));
    acquires
}
