//! Places that took part in a bug besides the one that it is told at: who waits where, who took which lock, allocated,
//! freed, and the accesses of other threads that it came about by.

use crate::Sources;
use gabion_trace::{Frame, NamedStep, TraceFile};

/// As many are told.
const MOST: usize = 12;

/// A place that took part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Related {
    /// `file:line`.
    pub place: String,
    /// What was done there, and by whom.
    pub what: String,
}

/// The places that took part in a file's bug, each once.
pub fn related(file: &TraceFile, sources: &Sources) -> Vec<Related> {
    let mut all: Vec<Related> = Vec::new();
    let own = file.location.as_ref().and_then(|frame| place(frame, sources));
    let mut add = |what: String, stack: &[Frame]| {
        let Some(place) = Frame::place(stack).and_then(|frame| place(frame, sources)) else { return };
        let known = all.iter().any(|known| known.place == place && known.what == what);
        if all.len() < MOST && !known && (Some(&place) != own.as_ref() || !file.blocked.is_empty()) {
            all.push(Related { place, what: sources.shorten(&what) });
        }
    };
    if file.kind == "deadlock" || file.kind == "livelock" {
        file.blocked.iter().for_each(|wait| add(format!("{} {}", wait.thread, wait.what), &wait.stack));
        file.steps.iter().filter(|step| takes_lock(step)).for_each(|step| add(did(step), &step.stack));
        return all;
    }
    file.witnesses.iter().for_each(|witness| add(witness.what.clone(), &witness.stack));
    // The last conflicts are the ones that matter.
    let until = file.failed_in.map_or(file.steps.len(), |step| step + 1).min(file.steps.len());
    for step in file.steps[..until].iter().rev() {
        for access in step.accesses.iter().filter(|access| access.with.is_some()) {
            add(format!("{} {}s {}", step.thread, access.what, access.object), &access.stack);
            let with = access.with.and_then(|with| file.steps.get(with));
            let theirs = with.and_then(|with| Some((with, with.accesses.iter().find(|a| a.object == access.object)?)));
            if let Some((with, theirs)) = theirs {
                add(format!("{} {}s {}", with.thread, theirs.what, theirs.object), &theirs.stack);
            }
        }
    }
    all
}

fn takes_lock(step: &NamedStep) -> bool {
    ["lock ", "read-lock ", "write-lock "].iter().any(|verb| step.what.starts_with(verb))
}

fn did(step: &NamedStep) -> String {
    format!("{}: {}", step.thread, step.what)
}

fn place(frame: &Frame, sources: &Sources) -> Option<String> {
    Some(format!("{}:{}", sources.name(frame.file.as_deref()?), frame.line?))
}
