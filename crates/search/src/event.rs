//! Events: what a branch of the search begins with, and what sleeps.

use gabion_analysis::{Key, Order, Signature};
use gabion_trace::{Access, AccessKind, Choice, Footprint, Pending, Sleeper, ThreadId};
use std::ops::Deref;

/// A step of a thread as the search knows it from a run: an event is a thread, its own number, and the values of the
/// choices it makes.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct Event {
    pub(crate) thread: u16,
    pub(crate) number: u32,
    /// Its first choices other than threads; it goes on by default.
    pub(crate) data: Vec<Choice>,
    /// What it touched.
    pub(crate) footprint: Touched,
    pub(crate) signature: Signature,
    /// Once all its thread's events were explored from the same state: how many begin with its first values, for each
    /// number of these from none on. Empty before, and if it made no choices.
    pub(crate) groups: Box<[u32]>,
    /// It depends on everything: it ends the process, or nobody has seen it yet.
    pub(crate) global: bool,
}

/// Accesses. Most events make one or two, which need no memory of their own.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
#[serde(from = "Vec<Access>", into = "Vec<Access>")]
pub(crate) enum Touched {
    One(Access),
    Two([Access; 2]),
    Many(Box<[Access]>),
}

impl Default for Touched {
    fn default() -> Self {
        Touched::Many(Box::default())
    }
}

impl Deref for Touched {
    type Target = [Access];

    #[inline]
    fn deref(&self) -> &[Access] {
        match self {
            Touched::One(access) => std::slice::from_ref(access),
            Touched::Two(accesses) => accesses,
            Touched::Many(accesses) => accesses,
        }
    }
}

impl From<&[Access]> for Touched {
    fn from(accesses: &[Access]) -> Self {
        match accesses {
            [one] => Touched::One(*one),
            [one, other] => Touched::Two([*one, *other]),
            many => Touched::Many(many.into()),
        }
    }
}

impl From<Vec<Access>> for Touched {
    fn from(accesses: Vec<Access>) -> Self {
        accesses.as_slice().into()
    }
}

impl From<Touched> for Vec<Access> {
    fn from(touched: Touched) -> Self {
        touched.to_vec()
    }
}

impl Event {
    /// The event of a run's step, which made these choices.
    pub(crate) fn of_step(order: &Order, step: usize, data: Vec<Choice>) -> Self {
        let item = order.steps().item(step);
        Event {
            thread: item.thread,
            number: item.number,
            data,
            footprint: order.steps().footprint(step).into(),
            signature: item.signature,
            groups: Box::default(),
            global: order.ends_process(step),
        }
    }

    /// The event of an operation that a run left pending.
    pub(crate) fn of_pending(pending: &Pending, number: u32, blocked: bool) -> Self {
        let access = Access { address: pending.object, size: 1, kind: AccessKind::UPDATE, pc: pending.pc };
        Event {
            thread: pending.thread.0,
            number,
            data: Vec::new(),
            footprint: if blocked { Touched::One(access) } else { Touched::default() },
            signature: if blocked { Signature::of(&[access]) } else { Signature::ALL },
            groups: Box::default(),
            global: !blocked,
        }
    }

    /// An event of which nothing is known but whose it is.
    pub(crate) fn unknown(thread: u16) -> Self {
        Event {
            thread,
            number: 0,
            data: Vec::new(),
            footprint: Touched::default(),
            signature: Signature::ALL,
            groups: Box::default(),
            global: true,
        }
    }

    /// Nothing that is not near it is its thread's or depends on it.
    #[inline]
    pub(crate) fn key(&self) -> Key {
        if self.global { Key::ALL } else { Key::of(self.thread, self.signature) }
    }

    /// Did it, as far as is known, choose these values?
    pub(crate) fn chose(&self, data: &[Choice]) -> bool {
        self.data.len() == data.len() && self.data.iter().zip(data).all(|(a, b)| a.value == b.value)
    }

    /// Are its first choices those of the other?
    pub(crate) fn begins_as(&self, other: &Event, choices: usize) -> bool {
        let mut pairs = self.data.iter().zip(&other.data).take(choices);
        self.thread == other.thread
            && self.data.len().min(other.data.len()) >= choices
            && pairs.all(|(a, b)| a.value == b.value)
    }

    /// Do the two, of different threads, depend on each other?
    pub(crate) fn depends(&self, footprint: &[Access], signature: Signature, global: bool) -> bool {
        self.global
            || global
            || !self.signature.apart(signature)
                && self.footprint.iter().any(|a| footprint.iter().any(|b| a.conflicts(b)))
    }

    /// As a plan says it.
    pub(crate) fn sleeper(&self) -> Sleeper {
        Sleeper {
            thread: ThreadId(self.thread),
            step: self.number,
            values: self.data.iter().map(|c| c.value).collect(),
            footprint: Footprint { accesses: self.footprint.to_vec() },
        }
    }
}
