//! What statements do to locks, semaphores, condition variables and barriers.

use super::{EAGAIN, EBUSY, EDEADLK, Stepper, World};
use crate::program::{self, Statement};
use crate::state::{Next, OnceState};
use gabion_trace::{ChoiceKind, Event, ONCE_DONE, OpKind, ThreadId};

impl<W: World> Stepper<'_, W> {
    pub(super) fn mutex(&mut self, me: usize, statement: Statement) {
        match statement {
            Statement::Lock(n) => {
                self.state.mutexes[n] = Some(me);
                self.op(OpKind::MutexLock, program::mutex(n), 0);
            }
            Statement::TryLock(n, register) => {
                let free = self.state.mutexes[n].is_none();
                if free {
                    self.state.mutexes[n] = Some(me);
                }
                self.attempt(me, OpKind::MutexTryLock, program::mutex(n), register, if free { 0 } else { EBUSY });
            }
            Statement::Unlock(n) => {
                self.state.mutexes[n] = None;
                self.op(OpKind::MutexUnlock, program::mutex(n), 0);
                self.after_unlock(me);
            }
            _ => unreachable!("internal error: no operation on a mutex"),
        }
    }

    pub(super) fn rwlock(&mut self, me: usize, statement: Statement) {
        match statement {
            Statement::ReadLock(n) => {
                let again = self.state.rwlocks[n].writer == Some(me);
                if !again {
                    self.state.rwlocks[n].readers.push(me);
                }
                self.op(OpKind::ReadLock, program::rwlock(n), if again { EDEADLK } else { 0 });
            }
            Statement::WriteLock(n) => {
                let again = self.state.rwlocks[n].writer.replace(me).is_some();
                self.op(OpKind::WriteLock, program::rwlock(n), if again { EDEADLK } else { 0 });
            }
            Statement::WriteTryLock(n, register) => {
                let l = &mut self.state.rwlocks[n];
                let free = l.writer.is_none() && l.readers.is_empty();
                if free {
                    l.writer = Some(me);
                }
                self.attempt(me, OpKind::WriteTryLock, program::rwlock(n), register, if free { 0 } else { EBUSY });
            }
            Statement::RwUnlock(n) => {
                let l = &mut self.state.rwlocks[n];
                let op = if l.writer == Some(me) { OpKind::WriteUnlock } else { OpKind::ReadUnlock };
                if op == OpKind::WriteUnlock {
                    l.writer = None;
                } else if let Some(held) = l.readers.iter().position(|t| *t == me) {
                    l.readers.remove(held);
                }
                self.op(op, program::rwlock(n), 0);
                self.after_unlock(me);
            }
            _ => unreachable!("internal error: no operation on a reader-writer lock"),
        }
    }

    pub(super) fn once(&mut self, me: usize, statement: Statement) {
        match statement {
            Statement::Once(n, body) => {
                let done = self.state.onces[n] == OnceState::Done;
                if done {
                    self.op(OpKind::Once, program::once(n), ONCE_DONE);
                    self.state.threads[me].at += body;
                } else {
                    self.state.onces[n] = OnceState::Begun(me);
                    self.op(OpKind::Once, program::once(n), 0);
                }
            }
            Statement::OnceDone(n) => {
                self.state.onces[n] = OnceState::Done;
                self.op(OpKind::OnceDone, program::once(n), 0);
            }
            _ => unreachable!("internal error: no operation on a once"),
        }
    }

    pub(super) fn semaphore(&mut self, me: usize, statement: Statement) {
        match statement {
            Statement::SemWait(n) => {
                self.state.semaphores[n] -= 1;
                self.op(OpKind::SemWait, program::semaphore(n), self.state.semaphores[n]);
            }
            Statement::SemTryWait(n, register) => {
                let free = self.state.semaphores[n] > 0;
                self.state.semaphores[n] -= u32::from(free);
                self.attempt(me, OpKind::SemTryWait, program::semaphore(n), register, if free { 0 } else { EAGAIN });
            }
            Statement::SemPost(n) => {
                self.state.semaphores[n] += 1;
                self.op(OpKind::SemPost, program::semaphore(n), self.state.semaphores[n]);
            }
            _ => unreachable!("internal error: no operation on a semaphore"),
        }
    }

    pub(super) fn wait(&mut self, me: usize, cond: usize, mutex: usize, timed: Option<usize>) -> Option<()> {
        self.op(OpKind::CondWait, program::cond(cond), 0);
        self.state.mutexes[mutex] = None;
        self.op(OpKind::MutexUnlock, program::mutex(mutex), 0);
        self.state.threads[me].next = Next::Queued { cond, mutex, timed };
        Some(())
    }

    fn waiters(&self, cond: usize) -> Vec<u32> {
        let waits = |t: &usize| matches!(self.state.threads[*t].next, Next::Queued { cond: c, .. } if c == cond);
        (0..self.state.threads.len()).filter(waits).map(|t| t as u32).collect()
    }

    pub(super) fn signal(&mut self, cond: usize) -> Option<()> {
        let woken = self.choose(ChoiceKind::Waiter, &self.waiters(cond))?;
        self.op(OpKind::CondSignal, program::cond(cond), woken.map_or(0, |t| t + 1));
        if let Some(thread) = woken {
            self.wake(thread as usize);
        }
        Some(())
    }

    pub(super) fn broadcast(&mut self, cond: usize) {
        let waiters = self.waiters(cond);
        self.op(OpKind::CondBroadcast, program::cond(cond), waiters.len() as u32);
        for thread in waiters {
            if self.state.over.is_none() {
                self.wake(thread as usize);
            }
        }
    }

    /// A waiter leaves the queue and competes for its mutex.
    fn wake(&mut self, thread: usize) {
        let Next::Queued { mutex, timed, .. } = self.state.threads[thread].next else {
            unreachable!("internal error: only waiters are woken")
        };
        self.state.threads[thread].next = Next::Reacquire { mutex, result: timed.map(|register| (register, 0)) };
        self.world.event(Event::Wake { thread: ThreadId(thread as u16) });
    }

    pub(super) fn arrive(&mut self, me: usize, barrier: usize) -> Option<()> {
        let b = &mut self.state.barriers[barrier];
        b.arrived += 1;
        let (arrived, full) = (b.arrived, b.arrived >= b.needed);
        self.op(OpKind::BarrierArrive, program::barrier(barrier), arrived);
        if full {
            self.state.barriers[barrier].arrived = 0;
            for t in &mut self.state.threads {
                if let Next::Barrier { barrier: b, released } = &mut t.next
                    && *b == barrier
                {
                    *released = true;
                }
            }
            self.advance(me);
        } else {
            self.state.threads[me].next = Next::Barrier { barrier, released: false };
        }
        Some(())
    }
}
