//! Channels of the Rust standard library: an operation on one is a step (decision 0014).
//!
//! `std::sync::mpsc` is made of `std::sync::mpmc`, which is generic and so compiled with the program. Each operation has a word
//! that it looks at first; that is its point. What it does from there on is recorded and no point, until it parks.
//!
//! | operation | begins |
//! |---|---|
//! | send and receive, bounded or not | in `start_send` or `start_recv`, with its first statement that loads |
//! | the same of a channel without room | with the channel's lock |
//! | a sender or receiver cloned or dropped | with the count of senders or receivers |
//!
//! Messages are dropped along with a channel: that is the program's code wherever it is inlined.

use std::collections::BTreeSet;

use gabion_trace::standard::Site;

const INSIDE: &str = "std::sync::mpmc::";

/// What can lie around types of the library's own, in names of functions.
const AROUND: [&str; 5] = ["core::", "alloc::", "std::sync::", "_", "&"];

/// Which statement of `start_send` and `start_recv` looks first, in lines from the declaration.
const FIRST: u64 = 2;

/// Whose code a function is, if it has to do with channels.
pub(super) fn site(name: &str) -> Option<Site> {
    let at = name.find(INSIDE)?;
    let pieces = || name[..at].split('<').filter(|piece| !piece.is_empty());
    if !pieces().all(|piece| AROUND.iter().any(|library| piece.starts_with(library))) {
        return None; // of a type of the program's that has a channel in it
    }
    let inside = &name[at + INSIDE.len()..];
    let function = name.rsplit("::").next()?;
    let ends = |functions: &[&str]| functions.contains(&function);
    Some(match inside.split("::").next()? {
        "list" | "array" | "zero" | "counter" if at > 0 && name.starts_with("std::sync::poison::") => Site::Caller,
        "list" | "array" if at == 0 && ends(&["start_send", "start_recv"]) => Site::Begin,
        "zero" if at == 0 && ends(&["send", "recv", "try_send", "try_recv"]) => Site::Begin,
        "counter" if at == 0 && (ends(&["acquire"]) || inside.contains("::release")) => Site::Begin,
        // Asked within operations, and by programs.
        "list" | "array" | "zero" if at == 0 && ends(&["is_empty", "is_full"]) => Site::Caller,
        "list" | "array" | "zero" if at == 0 && ends(&["len"]) => Site::Own,
        "list" | "array" | "zero" | "counter" | "waker" | "context" | "select" | "utils" => Site::Part,
        _ => return None,
    })
}

/// The last line with which a function begins that is [`Site::Begin`]; `declared`: the one of its name.
pub(super) fn beginning(name: &str, declared: u64) -> u64 {
    let looks = name.ends_with("::start_send") || name.ends_with("::start_recv");
    if looks { declared + FIRST } else { u64::MAX }
}

/// Which of the beginnings that have a last line were found.
#[derive(Default)]
pub(super) struct Beginnings {
    found: BTreeSet<u64>,
    passed: BTreeSet<u64>,
}

impl Beginnings {
    /// An access of a function that begins up to the line `last`. One that was merged with others has no line (0), and may be it.
    pub(super) fn see(&mut self, line: u64, last: u64) {
        if last == u64::MAX {
            return;
        }
        let lines = if line > last { &mut self.passed } else { &mut self.found };
        lines.insert(last);
    }

    /// Is there a function that has accesses, none of which is its beginning?
    pub(super) fn is_one_missing(&self) -> bool {
        !self.passed.is_subset(&self.found)
    }
}

/// Whose code a function is that was inlined into another. `first`: where that one begins, if it does so somewhere.
pub(super) fn nested(own: Site, outer: Site, first: bool) -> Site {
    match (own, outer) {
        (Site::Caller, Site::Begin) if !first => Site::Part,
        (Site::Caller, _) => outer,
        (Site::Lock, Site::Begin) => Site::BeginLock,
        (Site::Lock, Site::Part) => Site::PartLock,
        (Site::Unlock, Site::Begin | Site::Part) => Site::PartUnlock,
        (Site::Unpark, Site::Begin | Site::Part) => Site::Wake,
        _ => own,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_says_what_an_operation_is() {
        let check = |name: &str, expected: Option<Site>| assert_eq!(site(name), expected, "{name}");
        check("std::sync::mpmc::list::Channel<i32>>::start_send", Some(Site::Begin));
        check("std::sync::mpmc::array::Channel<mine::T>>::start_recv", Some(Site::Begin));
        check("std::sync::mpmc::list::Channel<i32>>::recv", Some(Site::Part));
        check("std::sync::mpmc::zero::Channel<i32>>::recv", Some(Site::Begin));
        check("std::sync::mpmc::zero::Channel<i32>>::recv::{closure#1}", Some(Site::Part));
        check("std::sync::mpmc::counter::Sender<std::sync::mpmc::list::Channel<i32>>>::acquire", Some(Site::Begin));
        check("std::sync::mpmc::list::Channel<i32>>::len", Some(Site::Own));
        check("std::sync::mpmc::Receiver<i32>>::is_empty", None);
        check("core::ptr::drop_in_place::<alloc::vec::Vec<std::sync::mpmc::waker::Entry>>", Some(Site::Part));
        check("std::sync::poison::mutex::Mutex<std::sync::mpmc::waker::Waker>>::lock", Some(Site::Part));
        check("std::sync::poison::mutex::Mutex<std::sync::mpmc::zero::Inner>>::lock", Some(Site::Caller));
        check("alloc::sync::Arc<mine::Pair<std::sync::mpmc::waker::Entry>>::drop", None);
        check("alloc::sync::Arc<std::sync::mpsc::Sender<i32>>::drop", None);
    }

    #[test]
    fn an_operation_without_a_beginning_is_noticed() {
        let check = |lines: &[u64], expected: bool| {
            let mut beginnings = Beginnings::default();
            lines.iter().for_each(|line| beginnings.see(*line, 12));
            assert_eq!(beginnings.is_one_missing(), expected, "{lines:?}");
        };
        check(&[], false);
        check(&[12, 14], false);
        check(&[14, 12], false);
        check(&[14], true);
        check(&[0, 14], false);
    }

    #[test]
    fn what_is_inlined_belongs_to_its_operation() {
        assert_eq!(nested(Site::Caller, Site::Begin, true), Site::Begin);
        assert_eq!(nested(Site::Caller, Site::Begin, false), Site::Part);
        assert_eq!(nested(Site::Lock, Site::Begin, true), Site::BeginLock);
        assert_eq!(nested(Site::Lock, Site::Part, true), Site::PartLock);
        assert_eq!(nested(Site::Caller, Site::PartLock, false), Site::PartLock);
        assert_eq!(nested(Site::Lock, Site::Own, true), Site::Lock);
        assert_eq!(nested(Site::Unlock, Site::Begin, true), Site::PartUnlock);
        assert_eq!(nested(Site::Own, Site::Part, true), Site::Own);
    }
}
