//! Results as JUnit's XML, which most services for continuous integration read.

use crate::line::{in_short, proviso};
use crate::{Bug, Report, Test, Verdict};
use quick_junit::{NonSuccessKind, Report as Document, TestCase, TestCaseStatus, TestSuite};
use std::time::Duration;

/// One suite of tests. A bug is a failure; what could not be checked, or not to its end, is an error.
pub fn junit(name: &str, tests: &[Test]) -> String {
    let mut suite = TestSuite::new(name);
    for test in tests {
        let mut case = TestCase::new(test.name.as_str(), status(&test.report));
        case.set_time(Duration::try_from_secs_f64(test.report.elapsed_s).unwrap_or_default());
        case.set_system_out(in_short(&test.report));
        suite.add_test_case(case);
    }
    let mut document = Document::new(name);
    document.add_test_suite(suite);
    document.to_string().expect("internal error: text can be written to memory")
}

fn status(report: &Report) -> TestCaseStatus {
    let (kind, what, message) = match report.verdict {
        Verdict::Verified | Verdict::Complete => return TestCaseStatus::success(),
        Verdict::Bug => {
            let bug = report.bugs.first();
            let place = |bug: &Bug| bug.location.clone().filter(|at| !bug.message.contains(at.as_str()));
            let place = bug.and_then(place).map_or(String::new(), |at| format!("{at}: "));
            let message = bug.map_or(String::new(), |bug| format!("{place}{}", bug.message));
            (NonSuccessKind::Failure, bug.map_or("bug", |bug| bug.kind.as_str()), message)
        }
        Verdict::Partial => {
            let message = format!("the search ended before every interleaving was run{}", proviso(report));
            (NonSuccessKind::Error, "partial", message)
        }
        Verdict::Error => (NonSuccessKind::Error, "error", report.error.clone().unwrap_or_default()),
    };
    let mut status = TestCaseStatus::non_success(kind);
    status.set_type(what).set_message(message);
    let shown: Vec<&str> = report.bugs.iter().map(|bug| bug.shown.trim_end()).filter(|text| !text.is_empty()).collect();
    if !shown.is_empty() {
        status.set_description(shown.join("\n\n"));
    }
    status
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bugs_are_failures_and_the_rest_errors() {
        let passed = Report { verdict: Verdict::Verified, error: None, runs: 7, ..Report::of_error("") };
        let bug = crate::Bug {
            kind: "deadlock".into(),
            heuristic: false,
            message: "2 threads wait for <ever>".into(),
            threads: 2,
            preemptions: 1,
            steps: 9,
            trace: None,
            location: Some("src/lib.rs:4".into()),
            waiting: Vec::new(),
            explanation: Vec::new(),
            minimised: None,
            shown: "How it came about:\n  T0 waits".into(),
            related: Vec::new(),
        };
        let failed = Report { verdict: Verdict::Bug, bugs: vec![bug], ..passed.clone() };
        let cut = Report { verdict: Verdict::Partial, ..passed.clone() };
        let tests = [("good", passed), ("bad", failed), ("odd", Report::of_error("it needs fork")), ("long", cut)];
        let tests = tests.map(|(name, report)| Test { name: name.into(), report });
        let text = junit("suite", &tests);
        assert!(text.contains(r#"tests="4""#) && text.contains(r#"failures="1""#) && text.contains(r#"errors="2""#));
        let body = text.split_once("</failure>").expect("a failure has a body").0;
        assert!(body.ends_with("How it came about:\n  T0 waits"), "{text}");
        assert!(text.contains("src/lib.rs:4: 2 threads wait for &lt;ever>") || text.contains("wait for &lt;ever&gt;"));
        assert!(text.contains("interleaving was run: how much is left is not known"), "{text}");
    }
}
