//! What is known of each address in this run, in memory that is kept from run to run.

use crate::cells::ByAddress;

/// Something for each address, forgotten when a run begins.
#[derive(Clone, Debug, Default)]
pub(crate) struct PerRun<T> {
    numbers: ByAddress<u32>,
    all: Vec<(u64, T)>,
    run: u64,
    /// Those of this run, as they came.
    used: Vec<u32>,
}

impl<T: Default> PerRun<T> {
    /// A run begins.
    pub(crate) fn begin(&mut self) {
        self.run += 1;
        self.used.clear();
    }

    /// How many there are in this run; for `take_back`.
    pub(crate) fn mark(&self) -> usize {
        self.used.len()
    }

    /// Forgets those that came after the mark.
    pub(crate) fn take_back(&mut self, mark: usize) {
        self.used.drain(mark..).for_each(|number| self.all[number as usize].0 = 0);
    }

    /// What is at the address. The first time in a run, `anew` makes it what it is before anything happened.
    pub(crate) fn get(&mut self, address: u64, anew: impl FnOnce(&mut T)) -> &mut T {
        let next = self.all.len() as u32;
        let number = *self.numbers.entry(address).or_insert(next);
        if number == next {
            self.all.push((0, T::default()));
        }
        let (run, known) = &mut self.all[number as usize];
        if *run != self.run {
            *run = self.run;
            self.used.push(number);
            anew(known);
        }
        known
    }

    /// What is known of the address in this run, if anything is.
    pub(crate) fn known(&self, address: u64) -> Option<&T> {
        let (run, known) = &self.all[*self.numbers.get(&address)? as usize];
        (*run == self.run).then_some(known)
    }

    /// Calls `each` with everything that there is in this run, as it came.
    pub(crate) fn each(&self, each: impl FnMut(&T)) {
        self.used.iter().map(|number| &self.all[*number as usize].1).for_each(each);
    }
}
