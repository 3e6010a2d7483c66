//! Who searches: the campaign's own thread, and workers that run ahead of it.
//!
//! The campaign asks for the episodes of its jobs one after another, in an order that is its own. Workers make those
//! that it will probably ask for next; so does the campaign, while it waits for one that a worker is at. An episode depends on its space alone, so it makes no difference who made it or
//! when: a campaign with eight workers sees the same as one with none, only sooner.
//!
//! Where the number of runs is limited, the last episode is cut to the runs that are left. One that was made ahead may be longer: the
//! space as it was before each of these is kept, and the episode is made again from there.

use crate::episode::Episode;
use crate::space::{Allowance, Space};
use crate::{CampaignError, JobId, Subject};
use gabion_trace::RunError;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Episodes of one space that nobody has asked for yet.
const AHEAD: usize = 3;

/// The spaces of a campaign, those that nobody works on.
#[derive(Debug, Default)]
pub(crate) struct Pool {
    state: Mutex<State>,
    changed: Condvar,
    /// The number of runs is limited, so episodes that were made ahead may have to be cut.
    limited: bool,
    /// The campaign is: nobody needs what is in the making.
    over: AtomicBool,
}

/// An episode that nobody has asked for yet.
#[derive(Debug)]
struct Ahead {
    episode: Result<Episode, CampaignError>,
    /// The space before it, if the episode may have to be cut.
    before: Option<Box<Space>>,
}

impl Ahead {
    /// Has it no more runs than are left? Of one that failed nobody knows at which run that was.
    fn is_within(&self, runs: u64) -> bool {
        self.episode.as_ref().is_ok_and(|episode| episode.runs <= runs)
    }
}

#[derive(Debug, Default)]
struct State {
    /// By job.
    slots: Vec<Slot>,
    /// Jobs that the campaign will probably ask for, the next first.
    wanted: Vec<JobId>,
}

impl State {
    /// What to make next before it is asked for, if there is something.
    fn free(&self) -> Option<JobId> {
        let free = |id: &&JobId| {
            let slot = &self.slots[id.0];
            slot.space.is_some() && !slot.ended && slot.ready.len() < AHEAD
        };
        self.wanted.iter().find(free).copied()
    }
}

#[derive(Debug)]
struct Slot {
    /// `None`: somebody is at it, or it is gone.
    space: Option<Space>,
    ready: VecDeque<Ahead>,
    /// Nothing comes after what is ready.
    ended: bool,
    /// Nobody needs it any more.
    gone: bool,
    /// How often it was set back to before an episode. What a worker makes meanwhile is dropped.
    turned_back: u32,
}

impl Slot {
    fn put_back(&mut self, space: Space, episode: &Result<Episode, CampaignError>) {
        self.ended = episode.as_ref().map_or(true, |e| e.exhausted || e.unsupported.is_some());
        self.space = Some(space).filter(|_| !self.gone);
    }
}

impl Pool {
    /// Without spaces. `limited`: episodes may have to be cut to a number of runs.
    pub(crate) fn new(limited: bool) -> Self {
        Pool { limited, ..Pool::default() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("internal error: nobody panics with the pool in hand")
    }

    /// The space of the next job.
    pub(crate) fn add(&self, space: Space) {
        let slot = Slot { space: Some(space), ready: VecDeque::new(), ended: false, gone: false, turned_back: 0 };
        self.state().slots.push(slot);
    }

    /// Puts these in the place of all.
    pub(crate) fn set(&self, spaces: Vec<Option<Space>>) {
        let slot = |space: Option<Space>| Slot {
            gone: space.is_none(),
            space,
            ready: VecDeque::new(),
            ended: false,
            turned_back: 0,
        };
        self.state().slots = spaces.into_iter().map(slot).collect();
    }

    /// Says what will probably be asked for.
    pub(crate) fn expect(&self, wanted: Vec<JobId>) {
        self.state().wanted = wanted;
        self.changed.notify_all();
    }

    /// Nobody will ask for this job again.
    pub(crate) fn forget(&self, id: JobId) {
        let slot = &mut self.state().slots[id.0];
        (slot.space, slot.gone) = (None, true);
        slot.ready.clear();
    }

    /// The job's space, if nobody is at it.
    pub(crate) fn take(&self, id: JobId) -> Option<Space> {
        self.state().slots[id.0].space.take()
    }

    /// The next episode of a job, with no more runs than are allowed. If nobody has made it and nobody is at it, it is made here.
    pub(crate) fn next(
        &self,
        id: JobId,
        subject: &mut dyn Subject,
        allowance: &Allowance<'_>,
    ) -> Result<Episode, CampaignError> {
        let mut state = self.state();
        loop {
            let slot = &mut state.slots[id.0];
            if let Some(ready) = slot.ready.pop_front() {
                self.changed.notify_all();
                match ready {
                    Ahead { before: Some(before), .. } if !ready.is_within(allowance.runs) => {
                        slot.ready.clear();
                        (slot.space, slot.turned_back) = (Some(*before), slot.turned_back + 1);
                    }
                    Ahead { episode, .. } => return episode,
                }
            }
            if let Some(mut space) = slot.space.take() {
                drop(state);
                let episode = space.advance(subject, allowance);
                self.state().slots[id.0].put_back(space, &episode);
                return episode;
            }
            state = match state.free() {
                Some(other) => self.make(state, other, subject, allowance.stop),
                None => self.wait(state),
            };
        }
    }

    fn wait<'a>(&self, state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        self.changed.wait(state).expect("internal error: nobody panics with the pool in hand")
    }

    /// Makes an episode of a job that is free, before it is asked for.
    fn make<'a>(
        &'a self,
        mut state: MutexGuard<'a, State>,
        id: JobId,
        subject: &mut dyn Subject,
        stop: &dyn Fn() -> bool,
    ) -> MutexGuard<'a, State> {
        let turned_back = state.slots[id.0].turned_back;
        let mut space = state.slots[id.0].space.take().expect("internal error: it is free");
        drop(state);
        let before = self.limited.then(|| Box::new(space.clone()));
        let stop = || self.over.load(Ordering::Relaxed) || stop();
        let allowance = Allowance { runs: u64::MAX, stop: &stop };
        let episode = catch_unwind(AssertUnwindSafe(|| space.advance(subject, &allowance)))
            .unwrap_or_else(|_| Err(RunError::Broken("internal error: a worker panicked".into()).into()));
        let mut state = self.state();
        let slot = &mut state.slots[id.0];
        if slot.turned_back != turned_back {
            return state;
        }
        slot.put_back(space, &episode);
        if !slot.gone {
            slot.ready.push_back(Ahead { episode, before });
        }
        self.changed.notify_all();
        state
    }

    /// Works until the campaign is over.
    pub(crate) fn work(&self, subject: &mut dyn Subject, stop: &dyn Fn() -> bool) {
        let mut state = self.state();
        while !self.over.load(Ordering::Relaxed) {
            state = match state.free() {
                Some(id) => self.make(state, id, subject, stop),
                None => self.wait(state),
            };
        }
    }

    /// Sends the workers home when the guard is dropped.
    pub(crate) fn ends_with_this(&self) -> End<'_> {
        End(self)
    }
}

/// See [`Pool::ends_with_this`].
pub(crate) struct End<'a>(&'a Pool);

impl Drop for End<'_> {
    fn drop(&mut self) {
        // With the pool in hand, so that nobody goes to sleep between looking and being told. Whoever panicked with it left it as it was.
        let _state = self.0.state.lock().unwrap_or_else(PoisonError::into_inner);
        self.0.over.store(true, Ordering::Relaxed);
        self.0.changed.notify_all();
    }
}
