//! Wake-up trees: what is still to be explored from a state, as sequences of events (Abdulla et al. 2014).
//!
//! To reverse a race, the search goes back to the state before its earlier step and follows a *wake-up sequence*: what
//! did not depend on that step, then the later one. Sequences that agree are kept as one tree; of each only as much is
//! kept as shows that no sleeping event and no earlier branch would have led there, so that following it to its end wakes
//! everything that sleeps. No run is then cut short, and none is made twice.

use crate::event::Event;
use crate::made::Made;
use gabion_analysis::{After, Glance, Key, Order};
use gabion_trace::{Access, AccessKind, Address, Choice, OpKind, ThreadId};
use std::sync::Arc;

/// A branch: an event, then any of the children. Trees of one path have many branches and few different events, so they
/// share them.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct Branch {
    pub(crate) event: Arc<Event>,
    pub(crate) children: Vec<Branch>,
}

impl Branch {
    /// A branch of one event.
    pub(crate) fn leaf(event: Event) -> Self {
        Branch { event: Arc::new(event), children: Vec::new() }
    }

    /// Cuts off, on the branch's first way, what begins with a sleeping event: it was explored elsewhere. False: that is
    /// all of it.
    pub(crate) fn wakes(&mut self, asleep: &mut Vec<&Event>) -> bool {
        let event = &self.event;
        if asleep.iter().any(|s| s.thread == event.thread && (s.data.is_empty() || s.chose(&event.data))) {
            return false;
        }
        asleep.retain(|s| s.thread != event.thread && !event.depends(&s.footprint, s.signature, s.global));
        while let Some(child) = self.children.first_mut() {
            if asleep.is_empty() || child.wakes(asleep) {
                break;
            }
            self.children.remove(0);
        }
        true
    }
}

/// The later step of a race: made, or pending when the run ended.
#[derive(Clone, Debug)]
pub(crate) enum Second {
    Step(u32),
    Pending(Event),
}

impl Second {
    /// Whose it is.
    pub(crate) fn thread(&self, order: &Order) -> u16 {
        match self {
            Second::Step(step) => order.steps().item(*step as usize).thread,
            Second::Pending(event) => event.thread,
        }
    }

    /// Does it touch the same wherever it runs? So does what makes one access at an address that it had before, unless it
    /// is a compare-and-exchange that failed, a once that was found done (the first to come writes), or was about to do something
    /// else before the first woke it. (If steps hold several accesses, nothing does.)
    pub(crate) fn is_certain(&self, order: &Order, first: u32) -> bool {
        let step = match self {
            Second::Step(step) => *step as usize,
            Second::Pending(event) => return !event.global,
        };
        let steps = order.steps();
        let item = steps.item(step);
        let own_end = Address::thread(ThreadId(item.thread));
        let decides = |a: &&Access| a.address != own_end && !a.kind.has(AccessKind::OF_OBJECT);
        let mut accesses = steps.footprint(step).iter().filter(decides);
        let (Some(one), None) = (accesses.next(), accesses.next()) else { return item.op == OpKind::CondWait };
        let only_read = matches!(item.op, OpKind::AtomicUpdate | OpKind::Once) && !one.kind.writes();
        !only_read && !steps.wakes(first as usize).contains(&item.thread)
    }

    /// The steps on which it depends whatever happens: itself, or, where it was not made, what its thread did before and
    /// who woke it since.
    fn targets<'a>(&self, order: &'a Order) -> (Option<u32>, &'a [u32]) {
        match self {
            Second::Step(step) => (Some(*step), &[]),
            Second::Pending(event) => {
                (order.steps().of_thread(event.thread).last().copied(), order.woken(event.thread))
            }
        }
    }
}

/// The sequence that reverses a race.
pub(crate) struct Sequence<'a> {
    order: &'a Order,
    /// The choices other than threads that a step made.
    data: &'a dyn Fn(u32) -> Vec<Choice>,
    first: u32,
    /// What depends on it.
    after: After<'a>,
    second: Second,
    /// What the second needs: what this clock counts, if there is one, and what is before these.
    clock: &'a [u32],
    targets: &'a [u32],
    /// What is needed for the second, in order, then the second itself; after it, once asked for, the rest of what does
    /// not depend on the first.
    items: Vec<Item>,
    /// Where they begin: those before are taken away.
    start: usize,
    /// One past the last item that must be kept. Invariant: not before `start`; who takes items away sees to it.
    needed: usize,
    /// Nobody knows what the second will touch where it is to run.
    uncertain: bool,
    /// Where to look for the rest; nothing: only what is needed was asked for so far.
    next: Option<u32>,
}

/// An event of a sequence.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Item {
    key: Key,
    what: What,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    Step(u32),
    Second,
}

/// What a sequence says of an event at its beginning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meets {
    /// It can come first: it is this item.
    Initial(usize),
    /// It can come first: it depends on nothing here.
    Apart,
    /// It cannot: it depends on something here.
    Not,
}

impl<'a> Sequence<'a> {
    /// The sequence that reverses `first` and `second`. `certain`: it is known what the second will touch where it is to
    /// run. `items` is memory to use.
    #[inline]
    pub(crate) fn new(
        order: &'a Order,
        data: &'a dyn Fn(u32) -> Vec<Choice>,
        (first, second): (u32, Second),
        certain: bool,
        mut items: Vec<Item>,
    ) -> Self {
        items.clear();
        let (last, targets) = second.targets(order);
        let clock = last.map_or(&[][..], |step| order.clock(step as usize));
        let after = order.after(first);
        let (start, needed, uncertain, next) = (0, 0, !certain, None);
        let mut sequence =
            Sequence { order, data, first, after, second, clock, targets, items, start, needed, uncertain, next };
        let all = order.steps().len() as u32;
        let (made, last) = match sequence.second {
            // Nothing after it happens before it.
            Second::Step(step) => (Some(step), if sequence.uncertain { all } else { step }),
            Second::Pending(_) => (None, all),
        };
        for (x, glance) in (first + 1..last).zip(&order.steps().glances()[first as usize + 1..]) {
            // What nobody knows may depend on anything that came before.
            if !after.has(x) && Some(x) != made && (sequence.uncertain || sequence.is_needed(x, glance)) {
                sequence.items.push(Item { key: glance.key, what: What::Step(x) });
            }
        }
        let key = match &sequence.second {
            Second::Step(step) => order.steps().glances()[*step as usize].key,
            Second::Pending(event) => event.key(),
        };
        sequence.items.push(Item { key, what: What::Second });
        sequence.needed = sequence.items.len();
        // Then there is nothing more to load.
        sequence.next = sequence.uncertain.then_some(all);
        sequence
    }

    /// The memory that it used.
    pub(crate) fn into_memory(self) -> Vec<Item> {
        self.items
    }

    /// Whose an item is.
    fn thread(&self, item: Item) -> u16 {
        match item.what {
            What::Step(step) => self.order.steps().glances()[step as usize].thread,
            What::Second => self.second.thread(self.order),
        }
    }

    /// Does a sleeping event lead to the sequence too? Then it was explored there. `here`: the event was explored from
    /// the very state at which the sequence begins, and with it all values of its choices.
    pub(crate) fn is_reached_by(&mut self, event: &Event, here: bool) -> bool {
        self.meets(event, here) != Meets::Not
    }

    /// Did only what the second needs matter so far? That is the same in every run with the same beginning, so all that
    /// was found out stays true.
    pub(crate) fn is_settled(&self) -> bool {
        self.next.is_none()
    }

    /// Who can come first.
    pub(crate) fn initials(&self) -> Vec<u16> {
        assert_eq!(self.start, 0, "internal error: a sequence that was followed");
        let end = self.items.iter().position(|item| item.what == What::Second).map_or(self.items.len(), |i| i + 1);
        let mut initials: Vec<u16> = Vec::new();
        for (at, item) in self.items[..end].iter().enumerate() {
            let own = self.items[..at].iter().any(|before| self.thread(*before) == self.thread(*item));
            let depends = |before: &Item| match (before.what, item.what, &self.second) {
                (What::Step(b), What::Step(x), _) => self.order.before(b, x),
                (What::Step(_), What::Second, _) if self.uncertain => true,
                (What::Step(b), What::Second, &Second::Step(x)) => self.order.before(b, x),
                _ => true,
            };
            if !own && !self.items[..at].iter().any(depends) {
                initials.push(self.thread(*item));
            }
        }
        initials
    }

    /// Adds the sequence to a tree, unless a branch of it leads there. `made` are events of the run's steps.
    pub(crate) fn insert(&mut self, tree: &mut Vec<Branch>, made: &mut Made) {
        let mut level = tree;
        loop {
            let mut found = None;
            for (k, child) in level.iter().enumerate() {
                let first = self.begins_with(&child.event).then_some(Meets::Initial(self.start));
                match first.unwrap_or_else(|| self.meets(&child.event, true)) {
                    Meets::Not => continue,
                    Meets::Initial(item) => self.take_away(item),
                    Meets::Apart => {}
                }
                found = Some(k);
                break;
            }
            let Some(k) = found else { break };
            // Even below a leaf: what it will touch when it is run there is a guess, and so is that it leads here.
            level = &mut level[k].children;
        }
        let mut chain: Option<Branch> = None;
        for item in self.items[self.start..self.needed].iter().rev() {
            let event = match (item.what, &self.second) {
                (What::Step(step), _) => made.event(self.order, step, || (self.data)(step)),
                (What::Second, Second::Step(step)) if (self.data)(*step).is_empty() => {
                    made.event(self.order, *step, Vec::new)
                }
                (What::Second, Second::Step(step)) => Arc::new(Event::of_step(self.order, *step as usize, Vec::new())),
                (What::Second, Second::Pending(event)) => Arc::new(event.clone()),
            };
            chain = Some(Branch { event, children: chain.into_iter().collect() });
        }
        level.extend(chain);
    }

    /// The item was found on the way down a tree. Most are found at the beginning, so that no other has to move.
    fn take_away(&mut self, item: usize) {
        if item == self.start {
            self.start += 1;
            self.needed = self.needed.max(self.start);
        } else {
            self.items.remove(item);
            self.needed -= usize::from(item < self.needed);
        }
    }

    /// Is it the first item? So is what makes no choices and is of that item's thread. On the way down a tree most are.
    #[inline]
    fn begins_with(&self, event: &Event) -> bool {
        event.data.is_empty() && self.items.get(self.start).is_some_and(|item| self.thread(*item) == event.thread)
    }

    /// How an event stands to the sequence. If it cannot come first, what shows that is kept.
    fn meets(&mut self, event: &Event, here: bool) -> Meets {
        if !event.data.is_empty() && self.is_first(event) {
            return Meets::Not; // with other values, it is not to be taken for it
        }
        let counterpart = event.key().counterpart();
        let mut from = self.start;
        loop {
            // Most are apart at first sight.
            let near = self.items[from..].iter().position(|item| item.key.is_near(counterpart)).map(|k| from + k);
            let Some(at) = near.or_else(|| self.load_near(counterpart)) else { return Meets::Apart };
            let item = self.items[at];
            if self.thread(item) == event.thread {
                let same = event.data.is_empty()
                    || match item.what {
                        What::Step(step) => event.chose(&(self.data)(step)),
                        What::Second => here,
                    };
                if same {
                    return Meets::Initial(at);
                }
                self.needed = self.needed.max(at + 1);
                return Meets::Not;
            }
            if self.is_met_by(event, item.what) {
                self.needed = self.needed.max(at + 1);
                return Meets::Not;
            }
            from = at + 1;
        }
    }

    /// Is the event the race's first step, whatever it chose?
    fn is_first(&self, event: &Event) -> bool {
        let first = self.order.steps().item(self.first as usize);
        event.thread == first.thread && event.number == first.number
    }

    /// Does the second need the step?
    #[inline]
    fn is_needed(&self, step: u32, glance: &Glance) -> bool {
        if matches!(self.second, Second::Step(second) if step > second) {
            return false; // what comes later happens before nothing
        }
        // A target's clock counts the target itself too.
        self.clock.get(usize::from(glance.thread)).is_some_and(|steps| *steps > glance.ordinal)
            || self.targets.iter().any(|target| step == *target || self.order.before(step, *target))
    }

    /// Adds the next steps of the run that do not depend on the first and are not needed for the second: they may follow.
    /// As far as one that may meet an event.
    fn load_near(&mut self, counterpart: Key) -> Option<usize> {
        let from = self.next.unwrap_or(self.first + 1);
        for (step, glance) in (from..).zip(&self.order.steps().glances()[from as usize..]) {
            if self.after.has(step) || self.is_needed(step, glance) {
                continue;
            }
            self.items.push(Item { key: glance.key, what: What::Step(step) });
            if glance.key.is_near(counterpart) {
                self.next = Some(step + 1);
                return Some(self.items.len() - 1);
            }
        }
        self.next = Some(self.order.steps().len() as u32);
        None
    }

    /// Does an event depend on an item, which is another thread's?
    fn is_met_by(&self, event: &Event, what: What) -> bool {
        match (what, &self.second) {
            (What::Step(step), _) | (What::Second, &Second::Step(step)) => {
                let (steps, step) = (self.order.steps(), step as usize);
                let (signature, global) = (steps.item(step).signature, self.order.ends_process(step));
                event.depends(steps.footprint(step), signature, global)
            }
            (What::Second, Second::Pending(pending)) => {
                event.depends(&pending.footprint, pending.signature, pending.global)
            }
        }
    }
}
