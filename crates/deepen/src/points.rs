//! Sets of preemption points: classes, and single instructions.

use gabion_trace::{Plan, Point, PointSet, RacePoint};
use std::collections::BTreeSet;

/// Where threads may be switched. Voluntary switches are always among them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
pub struct Points {
    classes: u16,
    races: BTreeSet<u64>,
}

impl Points {
    /// Classes alone.
    pub fn of(classes: PointSet) -> Self {
        Points { classes: classes.union(PointSet::VOLUNTARY).0, races: BTreeSet::new() }
    }

    /// Those of a class too.
    pub fn with_class(mut self, class: Point) -> Self {
        self.classes = PointSet(self.classes).with(class).0;
        self
    }

    /// An instruction too.
    pub fn with_race(mut self, pc: u64) -> Self {
        self.races.insert(pc);
        self
    }

    /// All of both.
    pub fn union(&self, other: &Points) -> Self {
        let classes = PointSet(self.classes).union(PointSet(other.classes)).0;
        Points { classes, races: self.races.union(&other.races).copied().collect() }
    }

    /// Is every point of this one in the other?
    pub fn is_subset(&self, other: &Points) -> bool {
        let all = other.classes().has(Point::Everywhere);
        all || self.classes & !other.classes == 0 && self.races.is_subset(&other.races)
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
    pub fn races(&self) -> impl Iterator<Item = u64> + '_ {
        self.races.iter().copied()
    }

    /// How many there are of both.
    pub fn count(&self) -> usize {
        self.classes.count_ones() as usize + self.races.len()
    }

    /// The plan with these points.
    pub fn plan(&self, template: &Plan) -> Plan {
        let mut points = self.classes();
        if !self.races.is_empty() {
            points = points.with(Point::Race);
        }
        let races = self.races().map(|pc| RacePoint { pc, thread: None }).collect();
        Plan { points, races, ..template.clone() }
    }
}
