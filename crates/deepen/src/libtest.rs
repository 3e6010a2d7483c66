//! What Rust's test harness says of a test that failed without a panic, or in spite of one.
//!
//! ```text
//! test errs ... Error: "an update was lost: 1"
//! FAILED
//! ---- should stdout ----
//! note: test did not panic as expected at src/lib.rs:28:4
//! test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 6 filtered out; finished in 0.00s
//! ```

/// Letters of a reason.
const LETTERS: usize = 200;

/// A test that failed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct FailedTest {
    pub(crate) name: String,
    /// In the harness's words; empty: it says none.
    pub(crate) why: String,
    /// File and line, where they are told.
    pub(crate) place: Option<(String, u32)>,
}

impl FailedTest {
    /// The test that failed, if the harness says that one did.
    pub(crate) fn of(output: &str) -> Option<FailedTest> {
        let lines: Vec<&str> = output.lines().collect();
        lines.iter().find(|line| line.starts_with("test result: FAILED"))?;
        let (name, rest) = lines.iter().find_map(|line| line.strip_prefix("test ")?.split_once(" ... "))?;
        let name = name.trim_end_matches(" - should panic").to_string();
        let notes = |words: &str| lines.iter().position(|line| line.starts_with(words));
        let (why, place) = if let Some(at) = notes("note: test did not panic as expected") {
            ("test did not panic as expected".to_string(), lines[at].split_once(" at ").and_then(|(_, at)| place(at)))
        } else if let Some(at) = notes("note: panic did not contain expected string") {
            let words: Vec<&str> = lines[at..].iter().take(3).map(|line| line.trim()).collect();
            (words.join(", ").replacen("note: ", "", 1), None)
        } else {
            (error(rest, &lines), None)
        };
        Some(FailedTest { name, why: cut(why), place })
    }

    /// In words.
    pub(crate) fn words(&self) -> String {
        let colon = if self.why.is_empty() { "" } else { ": " };
        format!("test {} failed{colon}{}", self.name, self.why)
    }

    /// Is a function the closure that the harness calls for this test?
    pub(crate) fn is_called_by(&self, function: &str) -> bool {
        let path = function.strip_suffix("::{closure#0}").and_then(|path| path.strip_suffix(self.name.as_str()));
        path.is_some_and(|path| path.is_empty() || path.ends_with("::"))
    }
}

/// What a test has returned: on the line of its name, or, where something else was printed before, on one of its own.
fn error(rest: &str, lines: &[&str]) -> String {
    const RETURNED: &str = "Error: ";
    let own = || lines.iter().position(|line| line.starts_with(RETURNED));
    let ours = lines.iter().position(|line| line.ends_with(rest)).filter(|_| rest.starts_with(RETURNED));
    let Some(at) = ours.or_else(own) else { return String::new() };
    let first = if ours.is_some() { rest } else { lines[at] };
    let more = lines[at + 1..].iter().take_while(|line| **line != "FAILED").map(|line| line.trim());
    [first].into_iter().chain(more).collect::<Vec<_>>().join(" ")
}

/// `file:line:column`.
fn place(text: &str) -> Option<(String, u32)> {
    let mut parts = text.rsplitn(3, ':');
    let (_column, line, file) = (parts.next()?, parts.next()?, parts.next()?);
    Some((file.to_string(), line.parse().ok()?))
}

fn cut(text: String) -> String {
    match text.char_indices().nth(LETTERS) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::FailedTest;

    const ENDS: &str = "test result: FAILED. 0 passed; 1 failed\n";

    #[test]
    fn why_a_test_failed() {
        let check = |output: &str, name: &str, why: &str, place: Option<(&str, u32)>| {
            let place = place.map(|(file, line)| (file.to_string(), line));
            let expected = FailedTest { name: name.into(), why: why.into(), place };
            assert_eq!(FailedTest::of(&format!("running 1 test\n{output}{ENDS}")), Some(expected));
        };
        check("test errs ... Error: \"lost: 1\"\nFAILED\n\n", "errs", "Error: \"lost: 1\"", None);
        check("test errs ... words\nError: Lost {\n    n: 1,\n}\nFAILED\n", "errs", "Error: Lost { n: 1, }", None);
        check(
            "test a::b - should panic ... FAILED\n---- a::b stdout ----\n\
             note: test did not panic as expected at src/lib.rs:28:4\n",
            "a::b",
            "test did not panic as expected",
            Some(("src/lib.rs", 28)),
        );
        check(
            "test a - should panic ... FAILED\nnote: panic did not contain expected string\n      panic message: \"b\"\n \
             expected substring: \"c\"\n",
            "a",
            "panic did not contain expected string, panic message: \"b\", expected substring: \"c\"",
            None,
        );
        check("test a ... FAILED\n", "a", "", None);
        assert_eq!(FailedTest::of("test a ... ok\ntest result: ok. 1 passed\n"), None);
    }

    #[test]
    fn the_function_of_a_test() {
        let test = FailedTest { name: "inner::errs".into(), why: String::new(), place: None };
        assert!(test.is_called_by("tried::inner::errs::{closure#0}"));
        assert!(!test.is_called_by("tried::inner::errs"));
        assert!(!test.is_called_by("tried::dinner::errs::{closure#0}"));
    }
}
