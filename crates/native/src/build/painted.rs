//! Whose code is where, as it is learned: from the outermost function to what was inlined into it.

use std::collections::BTreeMap;

use gabion_trace::standard::{INSIDE, Site};

/// Whose code it is, and whether it was compiled with the library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Whose {
    pub(super) site: Site,
    pub(super) inside: bool,
}

impl Whose {
    /// As the table has it.
    pub(super) fn word(self) -> u32 {
        self.site as u32 | if self.inside { INSIDE } else { 0 }
    }
}

/// What nobody has painted.
const NOBODY: Whose = Whose { site: Site::Own, inside: false };

/// Addresses in one colour each; what is painted later lies on top.
#[derive(Default)]
pub(super) struct Painted(BTreeMap<u64, Whose>);

impl Painted {
    pub(super) fn paint(&mut self, from: u64, to: u64, whose: Whose) {
        let after = self.at(to);
        let within: Vec<u64> = self.0.range(from..to).map(|(at, _)| *at).collect();
        for at in within {
            self.0.remove(&at);
        }
        self.0.insert(from, whose);
        self.0.insert(to, after);
    }

    pub(super) fn at(&self, address: u64) -> Whose {
        self.0.range(..=address).next_back().map_or(NOBODY, |(_, whose)| *whose)
    }

    /// From, to, and whose it is; neighbours of one colour are one.
    pub(super) fn ranges(&self) -> Vec<(u32, u32, Whose)> {
        let ends = self.0.keys().skip(1);
        let all = self.0.iter().zip(ends).map(|((from, whose), to)| (*from as u32, *to as u32, *whose));
        let mut ranges: Vec<(u32, u32, Whose)> = Vec::new();
        for (from, to, whose) in all.filter(|(.., whose)| *whose != NOBODY) {
            match ranges.last_mut() {
                Some(last) if last.1 == from && last.2 == whose => last.1 = to,
                _ => ranges.push((from, to, whose)),
            }
        }
        ranges
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_inside_lies_on_top() {
        let program = |site| Whose { site, inside: false };
        let library = |site| Whose { site, inside: true };
        let mut painted = Painted::default();
        painted.paint(10, 50, program(Site::Caller));
        painted.paint(20, 30, program(Site::Lock));
        painted.paint(24, 26, program(Site::Own));
        painted.paint(60, 70, library(Site::Own));
        painted.paint(64, 66, library(Site::Own));
        let expected = [
            (10, 20, program(Site::Caller)),
            (20, 24, program(Site::Lock)),
            (26, 30, program(Site::Lock)),
            (30, 50, program(Site::Caller)),
            (60, 70, library(Site::Own)),
        ];
        assert_eq!(painted.ranges(), expected);
        assert_eq!(library(Site::Caller).word(), INSIDE | Site::Caller as u32);
    }
}
