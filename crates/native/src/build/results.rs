//! Results that functions build through a hidden pointer, over all units of a program.
//!
//! gcc passes the address of `x` for `x = f()` if `f` returns a large struct, announces no write there in the caller,
//! and none in `f`, which writes it. That is fine for a variable of the frame and an access that nobody announces if `x` is
//! shared. Which of the two it is only the caller can tell, and only the unit of `f` whether it announces: both leave a
//! note in the object, and the linker puts them together.
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
}

impl Results {
    pub(super) fn extend(&mut self, other: Results) {
        self.builders.extend(other.builders);
        self.forwards.extend(other.forwards);
        self.handed.extend(other.handed);
    }

    /// Takes out the places where a builder was given a shared address.
    pub(super) fn resolve(&mut self) -> Vec<String> {
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
        let (found, rest) =
            std::mem::take(&mut self.handed).into_iter().partition(|(name, _)| self.builders.contains(name));
        self.handed = rest;
        BTreeSet::into_iter(found).map(|(_, place)| place).collect()
    }

    /// Drops what no other unit can add to: `defined` are the functions of this one.
    pub(super) fn close(&mut self, defined: &dyn Fn(&str) -> bool) {
        self.handed.retain(|(name, _)| !defined(name));
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
        text
    }

    /// One line, taken apart at its first blank; false if it is not one of ours.
    pub(super) fn decode(&mut self, name: &str, rest: &str) -> bool {
        match (name, rest.split_once(' ')) {
            ("builds", _) => self.builders.insert(rest.to_owned()),
            ("forwards", Some((from, to))) => self.forwards.insert((from.to_owned(), to.to_owned())),
            ("hands", Some((name, place))) => self.handed.insert((name.to_owned(), place.to_owned())),
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
            assert_eq!(results.resolve(), expected, "{lines}");
        };
        check("builds f\nhands f a.c:3 in g\nhands h a.c:4 in g", &["a.c:3 in g"]);
        check("builds f\nforwards g f\nforwards h g\nhands h a.c:4 in m", &["a.c:4 in m"]);
        check("forwards h g\nhands h a.c:4 in m", &[]);
        check("builds f\nforwards f g\nhands g a.c:4 in m", &[]);
    }
}
