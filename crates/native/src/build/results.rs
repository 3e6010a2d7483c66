//! What only all units of a program together can tell: results that functions build through a hidden pointer, and
//! constants of other units.
//!
//! gcc passes the address of `x` for `x = f()` if `f` returns a large struct, announces no write there in the caller,
//! and none in `f`, which writes it. That is fine for a variable of the frame and an access that nobody announces if `x` is
//! shared. Which of the two it is only the caller can tell, and only the unit of `f` whether it announces: both leave a
//! note in the object, and the linker puts them together.
//!
//! Neither compiler announces a read of `extern const` data. Whether it is constant the unit that defines it knows.
//!
//! Deliberately missed: calls through pointers, and functions of another library.

use std::collections::BTreeSet;
use std::fmt::Write;

/// Notes of one or more units; functions are known by their names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Results {
    /// They build their result unannounced.
    pub(super) builders: BTreeSet<String>,
    /// The first lets the second build its result.
    pub(super) forwards: BTreeSet<(String, String)>,
    /// They were given a shared address, at that place.
    pub(super) handed: BTreeSet<(String, String)>,
    /// They were given a variable of the stack that others may know, at that place.
    pub(super) lent: BTreeSet<(String, String)>,
    /// Data of other units, read unannounced at that place: fine if it is constant there.
    pub(super) read: BTreeSet<(String, String)>,
}

/// Places where a builder was given an address.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Resolved {
    pub(super) shared: Vec<String>,
    pub(super) on_stack: Vec<String>,
}

impl Results {
    pub(super) fn extend(&mut self, other: Results) {
        self.builders.extend(other.builders);
        self.forwards.extend(other.forwards);
        self.handed.extend(other.handed);
        self.lent.extend(other.lent);
        self.read.extend(other.read);
    }

    /// Takes out the places where a builder was given an address that others may know.
    pub(super) fn resolve(&mut self) -> Resolved {
        loop {
            let more: Vec<String> = self
                .forwards
                .iter()
                .filter(|(from, to)| self.builders.contains(to) && !self.builders.contains(from))
                .map(|(from, _)| from.clone())
                .collect();
            if more.is_empty() {
                break;
            }
            self.builders.extend(more);
        }
        let builders = &self.builders;
        let take = |given: &mut BTreeSet<(String, String)>| {
            let (found, rest) = std::mem::take(given).into_iter().partition(|(name, _)| builders.contains(name));
            *given = rest;
            BTreeSet::into_iter(found).map(|(_, place)| place).collect()
        };
        Resolved { shared: take(&mut self.handed), on_stack: take(&mut self.lent) }
    }

    /// Places that read data which is not constant, as far as all units can tell.
    pub(super) fn read_variables(&self, is_constant: &dyn Fn(&str) -> bool) -> Vec<String> {
        self.read.iter().filter(|(name, _)| !is_constant(name)).map(|(_, place)| place.clone()).collect()
    }

    /// Drops what no other unit can add to: `defined` are the functions of this one.
    pub(super) fn close(&mut self, defined: &dyn Fn(&str) -> bool) {
        self.handed.retain(|(name, _)| !defined(name));
        self.lent.retain(|(name, _)| !defined(name));
        let Results { builders, forwards, .. } = self;
        forwards.retain(|(from, _)| !builders.contains(from));
    }

    /// Lines of a record.
    pub(super) fn encode(&self) -> String {
        let mut text = String::new();
        for name in &self.builders {
            writeln!(text, "builds {name}").expect("writing to a string");
        }
        for (from, to) in &self.forwards {
            writeln!(text, "forwards {from} {to}").expect("writing to a string");
        }
        for (name, place) in &self.handed {
            writeln!(text, "hands {name} {place}").expect("writing to a string");
        }
        for (name, place) in &self.read {
            writeln!(text, "reads {name} {place}").expect("writing to a string");
        }
        for (name, place) in &self.lent {
            writeln!(text, "lends {name} {place}").expect("writing to a string");
        }
        text
    }

    /// One line, taken apart at its first blank; false if it is not one of ours.
    pub(super) fn decode(&mut self, name: &str, rest: &str) -> bool {
        match (name, rest.split_once(' ')) {
            ("builds", _) => self.builders.insert(rest.to_owned()),
            ("forwards", Some((from, to))) => self.forwards.insert((from.to_owned(), to.to_owned())),
            ("hands", Some((name, place))) => self.handed.insert((name.to_owned(), place.to_owned())),
            ("reads", Some((name, place))) => self.read.insert((name.to_owned(), place.to_owned())),
            ("lends", Some((name, place))) => self.lent.insert((name.to_owned(), place.to_owned())),
            _ => return false,
        };
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn callers_meet_builders() {
        let check = |lines: &str, expected: &[&str]| {
            let mut results = Results::default();
            for line in lines.lines() {
                let (name, rest) = line.split_once(' ').expect("two words");
                assert!(results.decode(name, rest), "{line}");
            }
            assert_eq!(results.encode().lines().collect::<BTreeSet<_>>(), lines.lines().collect());
            let found = results.resolve();
            assert_eq!([found.shared, found.on_stack].concat(), expected, "{lines}");
        };
        check("builds f\nhands f a.c:3 in g\nhands h a.c:4 in g", &["a.c:3 in g"]);
        check("builds f\nforwards g f\nforwards h g\nhands h a.c:4 in m", &["a.c:4 in m"]);
        check("forwards h g\nhands h a.c:4 in m", &[]);
        check("builds f\nlends f a.c:3 in g\nlends h a.c:4 in g", &["a.c:3 in g"]);
        check("builds f\nforwards f g\nhands g a.c:4 in m", &[]);
    }
}
