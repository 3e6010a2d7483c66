//! The same channel with a mistake: it is closed without the lock. A receiver that has just seen it open, and does not
//! wait yet, is then never woken.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex};

/// A queue of messages that can be closed.
pub struct Channel<T> {
    messages: Mutex<VecDeque<T>>,
    changed: Condvar,
    closed: AtomicBool,
}

impl<T> Channel<T> {
    /// An open channel.
    pub fn new(room: usize) -> Channel<T> {
        let messages = Mutex::new(VecDeque::with_capacity(room));
        Channel { messages, changed: Condvar::new(), closed: AtomicBool::new(false) }
    }

    /// Waits for a message. There is none any more when the channel is closed and empty.
    pub fn receive(&self) -> Option<T> {
        let empty = |messages: &mut VecDeque<T>| messages.is_empty() && !self.closed.load(Ordering::SeqCst);
        self.changed.wait_while(self.messages.lock().unwrap(), empty).unwrap().pop_front()
    }

    /// Nothing is sent any more.
    pub fn close(&self) {
        self.closed.store(true, Ordering::SeqCst); // the mistake: receivers look at it with the lock held
        self.changed.notify_all();
    }
}
