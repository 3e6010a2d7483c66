//! Findings as lines that GitHub's runners turn into annotations of a change.

use crate::races::{Level, in_words, level, told};
use crate::sarif::split;
use crate::spaces::partial_statement;
use crate::visible::visible;
use crate::{Report, Verdict};

/// A line for each bug and each race; without any, one that says what was shown.
pub fn annotations(name: &str, report: &Report) -> String {
    let mut out = String::new();
    for bug in &report.bugs {
        let again = bug.trace.as_deref().map_or(String::new(), |t| format!("\nRun it again: gabion replay {t}"));
        out += &line(named(Level::Error), &bug.kind, bug.location.as_deref(), &format!("{}{again}", bug.message));
    }
    for race in told(report) {
        out += &line(named(level(race.status)), "data race", Some(&race.first), &in_words(race));
    }
    match report.verdict {
        Verdict::Error => {
            out += &line("error", "gabion", None, report.error.as_deref().unwrap_or("it could not be checked"))
        }
        Verdict::Partial => out += &line("warning", "partial", None, &format!("{name}: {}", partial_statement(report))),
        _ => {}
    }
    out
}

fn named(level: Level) -> &'static str {
    match level {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Note => "notice",
    }
}

fn line(level: &str, title: &str, place: Option<&str>, text: &str) -> String {
    let at =
        place.and_then(split).map_or(String::new(), |(file, line)| format!("file={},line={line},", property(file)));
    format!("::{level} {at}title={}::{}\n", property(title), data(text.trim()))
}

fn data(text: &str) -> String {
    let text = visible(text);
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_ends_a_line_early() {
        assert_eq!(
            line("error", "a:b,c", Some("x,y.c:3"), "50 %\nmore"),
            "::error file=x%2Cy.c,line=3,title=a%3Ab%2Cc::50 %25%0Amore\n"
        );
        assert_eq!(line("warning", "t", None, "m"), "::warning title=t::m\n");
    }
}
