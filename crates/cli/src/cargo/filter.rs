//! Which of the tests are asked for. libtest chooses by a test's own name; here a name may also have the program in front, as it is shown.

use super::Test;

/// libtest's options that have a value behind them, which is no filter.
const VALUED: [&str; 6] = ["--logfile", "--test-threads", "--color", "--format", "--shuffle-seed", "-Z"];

/// The filters among libtest's arguments, and the one in front of them.
#[derive(Debug, Default)]
pub(super) struct Filter {
    /// Any of these; all tests if there are none.
    wanted: Vec<String>,
    skipped: Vec<String>,
    exact: bool,
    /// The arguments that are no filters.
    pub(super) rest: Vec<String>,
}

/// A test's name.
#[derive(Clone, Copy, Debug)]
pub(super) struct Name<'a> {
    pub(super) program: &'a str,
    pub(super) own: &'a str,
    /// Is it shown with the program in front?
    pub(super) with_program: bool,
}

impl Filter {
    pub(super) fn of(test: &Test) -> Self {
        let mut filter = Filter::default();
        filter.wanted.extend(test.filter.clone());
        let mut args = test.args.iter();
        while let Some(arg) = args.next() {
            match arg.as_str() {
                "--exact" => filter.exact = true,
                "--skip" => filter.skipped.extend(args.next().cloned()),
                other if VALUED.contains(&other) => filter.rest.extend([arg].into_iter().chain(args.next()).cloned()),
                other => match other.strip_prefix("--skip=") {
                    Some(name) => filter.skipped.push(name.to_string()),
                    None if other.starts_with('-') => filter.rest.push(arg.clone()),
                    None => filter.wanted.push(arg.clone()),
                },
            }
        }
        filter
    }

    /// Is this test asked for?
    pub(super) fn takes(&self, name: Name<'_>) -> bool {
        let is_wanted = |word: &String| if self.exact { name.is(word) } else { name.contains(word) };
        let is_skipped = |word: &String| if self.exact { name.is(word) } else { name.meets_own(word) };
        (self.wanted.is_empty() || self.wanted.iter().any(is_wanted)) && !self.skipped.iter().any(is_skipped)
    }

    /// What was asked for, in words; none, if that is everything.
    pub(super) fn words(&self) -> Option<String> {
        (!self.wanted.is_empty()).then(|| self.wanted.join(" or "))
    }
}

impl Name<'_> {
    pub(super) fn shown(&self) -> String {
        if self.with_program { self.full() } else { self.own.to_string() }
    }

    fn full(&self) -> String {
        format!("{}::{}", self.program, self.own)
    }

    fn is(&self, word: &str) -> bool {
        word == self.own || word == self.full()
    }

    fn contains(&self, word: &str) -> bool {
        self.shown().contains(word) || self.meets_own(word)
    }

    /// A part of the test's own name, or a full name's beginning. A part of the program's name alone skips nothing: a crate's name is often
    /// that of what some of its tests are about.
    fn meets_own(&self, word: &str) -> bool {
        let behind_program = word.strip_prefix(self.program).and_then(|rest| rest.strip_prefix("::"));
        self.own.contains(word) || behind_program.is_some_and(|rest| self.own.starts_with(rest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(wanted: &[&str], skipped: &[&str], exact: bool, expected: &str) {
        let words = |list: &[&str]| list.iter().map(|word| (*word).to_string()).collect();
        let filter = Filter { wanted: words(wanted), skipped: words(skipped), exact, rest: Vec::new() };
        let all = [("queue", "tests::pops"), ("queue", "tests::pops_twice"), ("stack", "queue_of_stacks")];
        let names = all.map(|(program, own)| Name { program, own, with_program: true });
        let taken: Vec<String> = names.iter().filter(|name| filter.takes(**name)).map(Name::shown).collect();
        assert_eq!(taken.join(" "), expected);
    }

    #[test]
    fn names_with_and_without_the_program() {
        let both = "queue::tests::pops queue::tests::pops_twice";
        check(&["queue::tests::pops"], &[], false, both);
        check(&["queue::tests::pops"], &[], true, "queue::tests::pops");
        check(&["tests::pops"], &[], true, "queue::tests::pops");
        check(&["ueue::tes"], &[], false, both);
        check(&["stack", "twice"], &[], false, "queue::tests::pops_twice stack::queue_of_stacks");
        check(&["queue"], &[], true, "");
    }

    #[test]
    fn skipped_by_the_test_s_name_or_the_full_one() {
        let both = "queue::tests::pops queue::tests::pops_twice";
        check(&[], &["queue"], false, both);
        check(&[], &["queue::"], false, "stack::queue_of_stacks");
        check(&[], &["queue::tests::pops"], true, "queue::tests::pops_twice stack::queue_of_stacks");
    }

    #[test]
    fn a_full_name_is_known_where_it_is_not_shown() {
        let name = Name { program: "queue", own: "tests::pops", with_program: false };
        assert!(name.contains("queue::tests") && name.is("queue::tests::pops"));
        assert!(!name.contains("queue") && !name.contains("ueue::tests"));
    }
}
