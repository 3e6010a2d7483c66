//! Results as JUnit's XML, which most services for continuous integration read: valid by the schema of Jenkins' xUnit plugin
//! (`junit-10.xsd`), the strictest of those that fit tools other than Ant.

use crate::line::{in_a_file, proviso};
use crate::visible::visible;
use crate::{Bug, Report, Test, Verdict};
use quick_xml::Writer;
use quick_xml::escape::escape;
use quick_xml::events::attributes::Attribute;
use quick_xml::events::{BytesDecl, BytesText, Event};
use quick_xml::name::QName;
use std::io;

/// One suite of tests, with the names of those that were left out because they are marked as ignored. A bug is a failure; what
/// could not be checked, or not to its end, is an error.
pub fn junit(name: &str, tests: &[Test], ignored: &[String]) -> String {
    let written = write(name, tests, ignored).expect("internal error: text can be written to memory");
    String::from_utf8(written).expect("internal error: text was written")
}

type Xml = Writer<Vec<u8>>;

fn write(name: &str, tests: &[Test], ignored: &[String]) -> io::Result<Vec<u8>> {
    let problems: Vec<_> = tests.iter().map(|test| problem(&test.report)).collect();
    let number = |tag: &str| problems.iter().flatten().filter(|problem| problem.tag == tag).count().to_string();
    let time: f64 = tests.iter().map(|test| test.report.elapsed_s).sum();
    let numbers = [
        ("name", name),
        ("tests", &(tests.len() + ignored.len()).to_string()),
        ("failures", &number(FAILURE)),
        ("errors", &number(ERROR)),
        ("time", &seconds(time)),
    ]
    .map(|(name, value)| attribute(name, value));
    let mut xml = Writer::new_with_indent(Vec::new(), b' ', 4);
    xml.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    xml.create_element("testsuites").with_attributes(numbers.clone()).write_inner_content(|xml| {
        let suite = xml.create_element("testsuite").with_attributes(numbers);
        let skipped = ignored.len().to_string();
        suite.with_attribute(("skipped", skipped.as_str())).write_inner_content(|xml| {
            for (test, problem) in tests.iter().zip(problems) {
                case(xml, test, problem)?;
            }
            for name in ignored {
                let case = xml.create_element("testcase").with_attribute(attribute("name", name));
                case.write_inner_content(|xml| xml.create_element("skipped").write_empty().map(drop))?;
            }
            Ok(())
        })?;
        Ok(())
    })?;
    let mut written = xml.into_inner();
    written.push(b'\n');
    Ok(written)
}

fn case(xml: &mut Xml, test: &Test, problem: Option<Problem<'_>>) -> io::Result<()> {
    let time = seconds(test.report.elapsed_s);
    let element = xml.create_element("testcase").with_attribute(attribute("name", &test.name));
    element.with_attribute(("time", time.as_str())).write_inner_content(|xml| {
        if let Some(problem) = problem {
            let element = xml.create_element(problem.tag).with_attribute(attribute("message", &problem.message));
            element.with_attribute(attribute("type", problem.kind)).write_text_content(text(&problem.shown))?;
        }
        xml.create_element("system-out").write_text_content(text(&in_a_file(&test.report)))?;
        Ok(())
    })?;
    Ok(())
}

const FAILURE: &str = "failure";
const ERROR: &str = "error";

/// Why a test did not pass.
struct Problem<'a> {
    tag: &'static str,
    kind: &'a str,
    message: String,
    shown: String,
}

fn problem(report: &Report) -> Option<Problem<'_>> {
    let (tag, kind, message) = match report.verdict {
        Verdict::Verified | Verdict::Complete => return None,
        Verdict::Bug => {
            let bug = report.bugs.first();
            let place = |bug: &Bug| bug.location.clone().filter(|at| !bug.message.contains(at.as_str()));
            let place = bug.and_then(place).map_or(String::new(), |at| format!("{at}: "));
            let message = bug.map_or(String::new(), |bug| format!("{place}{}", bug.message));
            (FAILURE, bug.map_or("bug", |bug| bug.kind.as_str()), message)
        }
        Verdict::Partial => {
            (ERROR, "partial", format!("the search ended before every interleaving was run{}", proviso(report, "")))
        }
        Verdict::Error => (ERROR, "error", report.error.clone().unwrap_or_default()),
    };
    let shown: Vec<&str> = report.bugs.iter().map(|bug| bug.shown.trim_end()).filter(|text| !text.is_empty()).collect();
    Some(Problem { tag, kind, message, shown: shown.join("\n\n") })
}

fn seconds(time: f64) -> String {
    format!("{time:.3}")
}

/// Text of an element.
fn text(text: &str) -> BytesText<'static> {
    BytesText::from_escaped(escape(allowed(text)).into_owned())
}

/// An attribute. Unless they are written as references, readers see spaces in place of line ends and tabs (XML 1.0 §3.3.3).
fn attribute<'a>(name: &'a str, value: &str) -> Attribute<'a> {
    let value = escape(allowed(value)).replace('\n', "&#10;").replace('\t', "&#9;");
    Attribute { key: QName(name.as_bytes()), value: value.into_bytes().into() }
}

/// What may stand in a document at all (XML 1.0 §2.2): control characters are written out; the rest is replaced, so that it is
/// seen that there was something.
fn allowed(text: &str) -> String {
    let fits = |c: char| matches!(c, '\t' | '\n' | ' '..='\u{fffd}' | '\u{10000}'..);
    visible(text).chars().map(|c| if fits(c) { c } else { char::REPLACEMENT_CHARACTER }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use gabion_trace::{Caveat, CaveatKind};

    #[test]
    fn bugs_are_failures_and_the_rest_errors() {
        let mut passed =
            Report { verdict: Verdict::Complete, error: None, runs: 7, complete_runs: 7, ..Report::of_error("") };
        for kind in [CaveatKind::Bound, CaveatKind::Cut] {
            passed.scope.caveats.push(Caveat::new(kind, "2"));
        }
        let bug = crate::Bug {
            kind: "deadlock".into(),
            heuristic: false,
            message: "2 threads\nwait for <ever>\t\u{1b}".into(),
            threads: 2,
            preemptions: 1,
            left_in_loops: Vec::new(),
            steps: 9,
            trace: None,
            location: Some("src/lib.rs:4".into()),
            waiting: Vec::new(),
            choices: Vec::new(),
            explanation: Vec::new(),
            minimised: None,
            shown: "How it came about:\n  T0 waits".into(),
            related: Vec::new(),
        };
        let failed = Report { verdict: Verdict::Bug, bugs: vec![bug], ..passed.clone() };
        let cut = Report { verdict: Verdict::Partial, ..passed.clone() };
        let tests = [("good", passed), ("bad", failed), ("odd", Report::of_error("it needs fork")), ("long", cut)];
        let tests = tests.map(|(name, report)| Test { name: name.into(), report });
        let text = junit("suite", &tests, &["left".into()]);
        assert!(text.contains(r#"tests="5""#) && text.contains(r#"failures="1""#) && text.contains(r#"errors="2""#));
        let body = text.split_once("</failure>").expect("a failure has a body").0;
        assert!(body.ends_with("How it came about:\n  T0 waits"), "{text}");
        assert!(text.contains("src/lib.rs:4: 2 threads&#10;wait for &lt;ever&gt;&#9;\\x1b"), "{text}");
        assert!(text.contains("interleaving was run: how much is left is not known"), "{text}");
        assert!(!text.contains("(-v)"), "{text}");
    }
}
