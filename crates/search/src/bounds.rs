//! Backtracking by single threads: DPOR as Flanagan and Godefroid have it, and within a preemption bound.
//!
//! Within a bound the switch that reverses a race may be one preemption too many, while the same switch made earlier,
//! where the running thread had just been chosen, would have been free. So it is also tried there (bounded partial-order
//! reduction, Coons et al. 2013); and nothing sleeps, because a sleeping event's subtree may have been cut by the bound.

use crate::Options;
use crate::event::Event;
use crate::path::{Path, preempting};
use crate::wakeup::Branch;
use std::ops::Range;

/// Lets `thread` run at the node, or, if it cannot, everybody else who can.
pub(crate) fn backtrack(path: &mut Path, options: &Options, node: usize, thread: u16, bounded: &mut bool) {
    add(path, options, node, thread, bounded);
    if options.bound.is_some() {
        let mut at = node;
        while at > 0 && path.nodes[at - 1].thread == path.nodes[at].thread {
            at -= 1;
            add(path, options, at, thread, bounded);
        }
    }
}

fn add(path: &mut Path, options: &Options, node: usize, thread: u16, bounded: &mut bool) {
    let enabled = &path.nodes[node].enabled;
    let threads: Vec<u16> =
        if enabled.contains(u32::from(thread)) { vec![thread] } else { enabled.iter().map(|t| t as u16).collect() };
    for thread in threads {
        open(path, options, node, thread, bounded);
    }
}

/// Lets one of the threads run at the node, unless one does; if none of them can, everybody who can. A sleeping one is
/// no choice: its subtree need not lead here (source sets, Abdulla et al. 2014).
pub(crate) fn open_one(path: &mut Path, node: usize, threads: &[u16]) {
    let at = &path.nodes[node];
    let taken = |t: &u16| {
        at.thread == *t
            || at.tree.iter().any(|b| b.event.thread == *t)
            || path.known[path.done(node)].iter().any(|e| e.thread == *t)
    };
    if threads.iter().any(taken) {
        return;
    }
    let can = |t: &u16| at.enabled.contains(u32::from(*t));
    // One that chose values sleeps with those values only.
    let asleep = |t: &u16| path.asleep(node).any(|e| e.thread == *t && e.data.is_empty());
    let open: Vec<u16> = match threads.iter().filter(|t| can(t)).find(|t| !asleep(t)) {
        Some(one) => vec![*one],
        None if threads.iter().any(can) => Vec::new(),
        None => at.enabled.iter().map(|t| t as u16).filter(|t| !taken(t) && !asleep(t)).collect(),
    };
    path.nodes[node].tree.extend(open.into_iter().map(|thread| Branch::leaf(Event::unknown(thread))));
}

/// Opens every thread at these nodes.
pub(crate) fn open_all(path: &mut Path, options: &Options, nodes: Range<usize>, bounded: &mut bool) {
    for node in nodes {
        let enabled: Vec<u16> = path.nodes[node].enabled.iter().map(|t| t as u16).collect();
        for thread in enabled {
            open(path, options, node, thread, bounded);
        }
    }
}

fn open(path: &mut Path, options: &Options, node: usize, thread: u16, bounded: &mut bool) {
    let at = &path.nodes[node];
    let here = |e: &Event| e.thread == thread;
    let known =
        at.thread == thread || at.tree.iter().any(|b| here(&b.event)) || path.known[path.done(node)].iter().any(here);
    if known {
        return;
    }
    if let (Some(bound), Some(choice)) = (options.bound, at.choice)
        && at.preemptions + u32::from(preempting(at, &choice, thread)) > bound
    {
        *bounded = true;
        return;
    }
    if options.below.is_some_and(|below| path.extent_by(node, thread) >= below) {
        *bounded = true;
        return;
    }
    path.nodes[node].tree.push(Branch::leaf(Event::unknown(thread)));
}
