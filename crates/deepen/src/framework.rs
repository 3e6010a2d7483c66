//! What a test framework said about a failure, or about having nothing to do, found in what the program printed.
//!
//! A failed expectation ends in `main`, with a status: the place of the failure is only in the framework's text. Google Test
//! writes `file:line: Failure`, Catch2 `file:line: FAILED:`, and the reason in the lines that follow.

use gabion_trace::Frame;

/// What caveats call those whose words are known.
pub(crate) const FRAMEWORKS: [&str; 2] = ["Google Test", "Catch2"];

/// Lines that are taken for the reason, and letters of it.
const LINES: usize = 8;
const LETTERS: usize = 200;

/// A failure in a framework's words.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Said {
    pub(crate) place: Frame,
    pub(crate) why: String,
}

/// The first failure that is told.
pub(crate) fn said(output: &str) -> Option<Said> {
    let lines: Vec<&str> = output.lines().collect();
    lines.iter().enumerate().find_map(|(at, line)| {
        let place = line.strip_suffix(": Failure").or_else(|| line.strip_suffix(": FAILED:"))?;
        let (file, number) = place.rsplit_once(':')?;
        let number = number.parse().ok().filter(|_| !file.is_empty())?;
        let frame = Frame { function: None, file: Some(file.to_string()), line: Some(number), module: String::new() };
        Some(Said { place: frame, why: why(&lines[at + 1..]) })
    })
}

/// How to see the tests that there are, if a framework has run none. A filter that matches nothing passes, and tells nothing.
pub(crate) fn ran_nothing(output: &str) -> Option<&'static str> {
    output.lines().find_map(|line| {
        let counted = line.strip_prefix("[==========] ").map(|rest| rest.strip_prefix("Running ").unwrap_or(rest));
        if counted.is_some_and(|rest| rest.starts_with("0 tests from ")) {
            return Some("--gtest_list_tests");
        }
        (line == "No tests ran" || line.starts_with("No test cases matched")).then_some("--list-tests")
    })
}

/// The reason in one line: what follows up to an empty line or the framework's next heading.
fn why(lines: &[&str]) -> String {
    let ends = |line: &&&str| line.trim().is_empty() || line.starts_with('[') || line.starts_with("====");
    let words: Vec<&str> = lines.iter().take(LINES).take_while(|line| !ends(line)).map(|line| line.trim()).collect();
    let text = words.join(" ");
    match text.char_indices().nth(LETTERS) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(output: &str, expected: Option<(&str, u32, &str)>) {
        let said =
            said(output).map(|said| (said.place.file.expect("a file"), said.place.line.expect("a line"), said.why));
        let expected = expected.map(|(file, line, why)| (file.to_string(), line, why.to_string()));
        assert_eq!(said, expected, "{output}");
    }

    #[test]
    fn failures_are_found_in_what_frameworks_print() {
        check(
            "[ RUN      ] Counter.Lost\na/t.cpp:28: Failure\nExpected equality of these values:\n  n\n    Which is: 1\n  2\n\
             lost\n[  FAILED  ] Counter.Lost (0 ms)\n",
            Some(("a/t.cpp", 28, "Expected equality of these values: n Which is: 1 2 lost")),
        );
        check(
            "c.cpp:13\n.....\n\nc.cpp:18: FAILED:\n  CHECK( n.load() == 2 )\nwith expansion:\n  1 == 2\n\n====\n",
            Some(("c.cpp", 18, "CHECK( n.load() == 2 ) with expansion: 1 == 2")),
        );
        check("unknown file: Failure\nC++ exception thrown in the test body.\n", None);
        check("all is well\n", None);
    }

    #[test]
    fn frameworks_say_that_nothing_ran() {
        let check = |output: &str, lists: Option<&str>| assert_eq!(ran_nothing(output), lists, "{output}");
        check(
            "Note: filter\n[==========] Running 0 tests from 0 test suites.\n[  PASSED  ] 0 tests.\n",
            Some("--gtest_list_tests"),
        );
        check("[==========] 0 tests from 0 test suites ran. (0 ms total)\n", Some("--gtest_list_tests"));
        check("Filters: x\nNo test cases matched 'x'\n====\nNo tests ran\n", Some("--list-tests"));
        check("[==========] Running 10 tests from 1 test suite.\n[==========] 10 tests from 1 test suite ran.\n", None);
        check("All tests passed (1 assertion in 1 test case)\n", None);
    }
}
