//! Events that branches share.
//!
//! What is still to be explored may be hundreds of thousands of sequences, made of the same few hundred events over and over.

use crate::event::Event;
use gabion_analysis::Order;
use gabion_trace::Choice;
use std::sync::Arc;

/// Events of earlier runs that are remembered.
const SEEN: usize = 4096;

/// The events of the last run's steps with all their choices, as far as somebody has asked for them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Made {
    of_steps: Vec<Option<Arc<Event>>>,
    /// Of any run, where thread, number and address say.
    seen: Vec<Option<Arc<Event>>>,
}

impl Made {
    /// The steps from this one on are others now.
    pub(crate) fn keep(&mut self, steps: usize) {
        self.of_steps.truncate(steps);
    }

    /// The event of a step that made these choices.
    #[inline]
    pub(crate) fn event(&mut self, order: &Order, step: u32, data: impl FnOnce() -> Vec<Choice>) -> Arc<Event> {
        let step = step as usize;
        if self.of_steps.len() <= step {
            self.of_steps.resize(step + 1, None);
        }
        let seen = &mut self.seen;
        self.of_steps[step].get_or_insert_with(|| share(seen, order, step, data())).clone()
    }
}

/// One that was seen before, if it is the same.
fn share(seen: &mut Vec<Option<Arc<Event>>>, order: &Order, step: usize, data: Vec<Choice>) -> Arc<Event> {
    if seen.is_empty() {
        seen.resize(SEEN, None);
    }
    let steps = order.steps();
    let item = steps.item(step);
    let at = steps.footprint(step).first().map_or(0, |access| access.address.0 >> 2);
    let place = (usize::from(item.thread) * 61 + item.number as usize + at as usize) % SEEN;
    let same = |event: &Event| {
        (event.thread, event.number, event.signature) == (item.thread, item.number, item.signature)
            && event.global == order.ends_process(step)
            && event.data == data
            && *event.footprint == *steps.footprint(step)
    };
    match &seen[place] {
        Some(event) if same(event) => event.clone(),
        _ => seen[place].insert(Arc::new(Event::of_step(order, step, data))).clone(),
    }
}
