//! A set of small numbers, in one word as long as they are below 64: what a choice could have been.

use serde::{Deserialize, Serialize};

/// The values of a choice. Most are thread ids below 64, so that a trace needs no allocation for each.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(from = "Parts", into = "Parts")]
pub struct Values {
    low: u64,
    /// Those from 64 on, ascending; one word if there are none, and then it is not a list.
    high: Option<Box<High>>,
}

type High = Vec<u32>;

/// How they are written down.
#[derive(Serialize, Deserialize)]
struct Parts {
    low: u64,
    high: High,
}

impl From<Parts> for Values {
    fn from(Parts { low, high }: Parts) -> Self {
        Values { low, high: (!high.is_empty()).then(|| Box::new(high)) }
    }
}

impl From<Values> for Parts {
    fn from(values: Values) -> Self {
        Parts { low: values.low, high: values.high.map_or_else(Vec::new, |high| *high) }
    }
}

impl Values {
    /// The numbers of the bits set.
    pub const fn from_bits(bits: u64) -> Self {
        Values { low: bits, high: None }
    }
    /// Is it one of them?
    #[inline]
    pub fn contains(&self, value: u32) -> bool {
        if value < 64 { self.low >> value & 1 == 1 } else { self.high().contains(&value) }
    }
    /// One more; those from 64 on come in ascending order.
    #[inline]
    pub fn push(&mut self, value: u32) {
        if value < 64 { self.low |= 1 << value } else { self.high.get_or_insert_default().push(value) }
    }
    #[inline]
    fn high(&self) -> &[u32] {
        self.high.as_ref().map_or(&[], |high| high)
    }
    /// How many.
    #[inline]
    pub fn len(&self) -> usize {
        self.low.count_ones() as usize + self.high().len()
    }
    /// None?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// In ascending order.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        bits(self.low).map(u32::from).chain(self.high().iter().copied())
    }
}

impl FromIterator<u32> for Values {
    fn from_iter<I: IntoIterator<Item = u32>>(values: I) -> Self {
        let mut set = Values::default();
        values.into_iter().for_each(|v| set.push(v));
        set
    }
}

/// The numbers of the bits set, ascending.
pub(crate) fn bits(mut word: u64) -> impl Iterator<Item = u16> {
    std::iter::from_fn(move || {
        let bit = word.trailing_zeros();
        (word != 0).then(|| {
            word &= word - 1;
            bit as u16
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holds_what_was_put_in() {
        let numbers = [0, 3, 63, 64, 200];
        let set: Values = numbers.into_iter().collect();
        assert_eq!(set.iter().collect::<Vec<_>>(), numbers);
        assert_eq!(set.len(), 5);
        assert!(set.contains(63) && set.contains(200) && !set.contains(1) && !set.contains(65));
    }
}
