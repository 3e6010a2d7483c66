//! Whose code is where, as it is learned: from the outermost function to what was inlined into it.

use std::collections::BTreeMap;

use gabion_trace::standard::Site;

/// Addresses in one colour each; what is painted later lies on top.
#[derive(Default)]
pub(super) struct Painted(BTreeMap<u64, Site>);

impl Painted {
    pub(super) fn paint(&mut self, from: u64, to: u64, site: Site) {
        let after = self.at(to);
        let within: Vec<u64> = self.0.range(from..to).map(|(at, _)| *at).collect();
        for at in within {
            self.0.remove(&at);
        }
        self.0.insert(from, site);
        self.0.insert(to, after);
    }

    pub(super) fn at(&self, address: u64) -> Site {
        self.0.range(..=address).next_back().map_or(Site::Own, |(_, site)| *site)
    }

    pub(super) fn ranges(&self) -> Vec<(u32, u32, Site)> {
        let ends = self.0.keys().skip(1);
        let all = self.0.iter().zip(ends).map(|((from, site), to)| (*from as u32, *to as u32, *site));
        all.filter(|(.., site)| *site != Site::Own).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_inside_lies_on_top() {
        let mut painted = Painted::default();
        painted.paint(10, 50, Site::Caller);
        painted.paint(20, 30, Site::Lock);
        painted.paint(24, 26, Site::Own);
        let expected =
            [(10, 20, Site::Caller), (20, 24, Site::Lock), (26, 30, Site::Lock), (30, 50, Site::Caller)].to_vec();
        assert_eq!(painted.ranges(), expected);
    }
}
