//! A bounded channel that can be closed, and its hasty twin.

pub mod hasty;

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex};

/// A queue of at most so many messages, for any number of threads.
pub struct Channel<T> {
    state: Mutex<State<T>>,
    changed: Condvar,
    room: usize,
}

struct State<T> {
    messages: VecDeque<T>,
    closed: bool,
}

impl<T> Channel<T> {
    /// An open channel.
    pub fn new(room: usize) -> Channel<T> {
        let state = State { messages: VecDeque::with_capacity(room), closed: false };
        Channel { state: Mutex::new(state), changed: Condvar::new(), room }
    }

    /// Waits for room. The message comes back if the channel is closed.
    pub fn send(&self, message: T) -> Result<(), T> {
        let full = |state: &mut State<T>| state.messages.len() == self.room && !state.closed;
        let mut state = self.changed.wait_while(self.state.lock().unwrap(), full).unwrap();
        if state.closed {
            return Err(message);
        }
        state.messages.push_back(message);
        self.changed.notify_all();
        Ok(())
    }

    /// Waits for a message. There is none any more when the channel is closed and empty.
    pub fn receive(&self) -> Option<T> {
        let empty = |state: &mut State<T>| state.messages.is_empty() && !state.closed;
        let mut state = self.changed.wait_while(self.state.lock().unwrap(), empty).unwrap();
        let message = state.messages.pop_front();
        self.changed.notify_all();
        message
    }

    /// Nothing is sent any more.
    pub fn close(&self) {
        self.state.lock().unwrap().closed = true;
        self.changed.notify_all();
    }
}
