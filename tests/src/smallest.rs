//! Every interleaving of a program, one after the other and without reduction: how small one with a bug can be.

use gabion_native::{Launch, Native};
use gabion_search::{DepthFirst, Extent, Observed};
use gabion_trace::{Ending, OpKind, Plan, Recording, Tail, Target, ThreadId, Trace, TraceFile};

/// What is the same bug, as far as one run tells: stacks are not compared, but threads are.
type Bug = (Ending, i32, String, Option<(u64, ThreadId)>, Vec<(u64, OpKind)>);

fn bug(trace: &Trace) -> Bug {
    let outcome = &trace.outcome;
    let mut waits: Vec<(u64, OpKind)> = trace.blocked.iter().map(|b| (b.pending.pc, b.pending.op)).collect();
    waits.sort_unstable_by_key(|(pc, op)| (*pc, *op as u8));
    let place = waits.is_empty().then_some((outcome.pc, outcome.thread));
    (outcome.ending, outcome.code, outcome.message.clone(), place, waits)
}

/// Preemptions, switches and threads of the smallest interleaving that ends as the file's does; `None`: there are more than
/// `most` interleavings, or they cannot be had from here.
pub fn smallest(launch: Launch, file: &TraceFile, most: u64) -> Result<Option<(usize, Extent)>, String> {
    let told = |error: &dyn std::fmt::Display| format!("every interleaving: {error}");
    let mut native = Native::start(launch).map_err(|e| told(&e))?;
    let mut traces = Vec::new();
    let recorded = Plan { program: 0, recording: Recording::Accesses, ..file.plan.clone() };
    native.run(std::slice::from_ref(&recorded), &mut traces).map_err(|e| told(&e))?;
    let wanted = match traces.pop() {
        Some(trace) if trace.hash == file.hash && trace.outcome.is_failure() => bug(&trace),
        _ => return Ok(None),
    };
    let mut search = DepthFirst::new(Plan { choices: Vec::new(), tail: Tail::Default, ..recorded });
    let mut least: Option<(usize, Extent)> = None;
    while let Some(plan) = search.next() {
        native.run(std::slice::from_ref(&plan), &mut traces).map_err(|e| told(&e))?;
        let trace = traces.pop().ok_or("a run without a trace")?;
        match search.observe(&trace).map_err(|e| told(&e))? {
            Observed::Restarted => least = None,
            Observed::Cut => return Ok(None),
            _ if bug(&trace) == wanted => {
                let size = (trace.preemptions(), Extent::of(&trace));
                least = Some(least.map_or(size, |least| least.min(size)));
            }
            _ => {}
        }
        if search.progress().executed() > most {
            return Ok(None);
        }
    }
    least.map(Some).ok_or_else(|| "no interleaving has the bug".into())
}
