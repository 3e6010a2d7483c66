//! Sets of preemption points: classes, and single instructions; and how many rounds of a loop are looked at.
//!
//! A loop that goes round without progress is guessed to wait after some rounds (decision 0006). With the number of rounds doubled, the
//! same points make a larger state space, which holds the smaller one.

use crate::site::RaceSite;
use gabion_trace::shared::MOST_DOUBLINGS;
use gabion_trace::{Plan, Point, PointSet};
use std::collections::BTreeSet;

/// Where threads may be switched. Voluntary switches are always among them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
pub struct Points {
    classes: u16,
    races: BTreeSet<RaceSite>,
    /// So many times the rounds are doubled after which a loop is guessed to wait.
    doublings: u8,
}

impl Points {
    /// Classes alone.
    pub fn of(classes: PointSet) -> Self {
        Points { classes: classes.union(PointSet::VOLUNTARY).0, races: BTreeSet::new(), doublings: 0 }
    }

    /// With so many rounds as these before a loop is guessed to wait.
    #[must_use]
    pub fn as_deep_as(mut self, other: &Points) -> Self {
        self.doublings = other.doublings;
        self
    }

    /// The same points with twice as many rounds before a loop is guessed to wait; `None`: they were doubled often enough.
    pub fn deeper(&self) -> Option<Self> {
        let doublings = self.doublings + 1;
        (doublings <= MOST_DOUBLINGS).then(|| Points { doublings, ..self.clone() })
    }

    /// So many times the rounds are doubled after which a loop is guessed to wait.
    pub fn doublings(&self) -> u8 {
        self.doublings
    }

    /// Those of a class too.
    pub fn with_class(mut self, class: Point) -> Self {
        self.classes = PointSet(self.classes).with(class).0;
        self
    }

    /// An instruction too.
    pub fn with_race(mut self, site: impl Into<RaceSite>) -> Self {
        self.races.insert(site.into());
        self
    }

    /// All of both.
    pub fn union(&self, other: &Points) -> Self {
        let classes = PointSet(self.classes).union(PointSet(other.classes)).0;
        let doublings = self.doublings.max(other.doublings);
        Points { classes, races: self.races.union(&other.races).cloned().collect(), doublings }
    }

    /// Is every point of this one in the other? An instruction in one thread is part of it in every thread, never the
    /// other way round: not even all threads known so far are all that there are. Nor are more rounds of loops part of fewer.
    pub fn is_subset(&self, other: &Points) -> bool {
        let all = other.classes().has(Point::Everywhere);
        let points = all || self.classes & !other.classes == 0 && self.races.iter().all(|site| other.has_race(site));
        points && self.doublings <= other.doublings
    }

    /// Is the instruction one of them, wherever this asks for it?
    pub fn has_race(&self, site: &RaceSite) -> bool {
        self.races.contains(site) || self.races.contains(&site.anywhere())
    }

    /// As [`Points::is_subset`], and they are not the same.
    pub fn is_proper_subset(&self, other: &Points) -> bool {
        self != other && self.is_subset(other)
    }

    /// The classes.
    pub fn classes(&self) -> PointSet {
        PointSet(self.classes)
    }

    /// Are all these classes among them?
    pub fn holds(&self, classes: PointSet) -> bool {
        Points::of(classes).is_subset(self)
    }

    /// The instructions.
    pub fn races(&self) -> impl Iterator<Item = &RaceSite> {
        self.races.iter()
    }

    /// How many there are of both.
    pub fn count(&self) -> usize {
        self.classes.count_ones() as usize + self.races.len()
    }

    /// The plan with these points.
    pub fn plan(&self, template: Plan) -> Plan {
        let mut points = self.classes();
        if !self.races.is_empty() {
            points = points.with(Point::Race);
        }
        let mut plan = Plan { points, ..template };
        plan.limits.doublings = self.doublings;
        plan.races = self.races().map(|site| site.point(&mut plan.threads)).collect();
        plan
    }
}
