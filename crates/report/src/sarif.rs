//! Results in the Static Analysis Results Interchange Format 2.1.0, which editors and code hosts read.

use crate::Report;
use crate::races::{Level, in_words, level, told};
use crate::visible::{in_json, visible};
use serde_json::{Value, json};

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// The findings and data races of a report as one SARIF document.
pub fn sarif(report: &Report) -> String {
    let mut results: Vec<Value> = Vec::new();
    let mut kinds: Vec<&str> = Vec::new();
    for bug in &report.bugs {
        kinds.push(&bug.kind);
        let message = std::iter::once(&bug.message).chain(&bug.explanation).map(String::as_str).collect::<Vec<_>>();
        let related: Vec<_> = bug.related.iter().map(|other| (other.place.as_str(), other.what.as_str())).collect();
        results.push(result(&bug.kind, named(Level::Error), &message.join("\n"), bug.location.as_deref(), &related));
    }
    for race in told(report) {
        kinds.push("data-race");
        let level = named(level(race.status));
        let message = format!("data race on {}", in_words(race));
        results.push(result("data-race", level, &message, Some(&race.first), &[(&race.second, &race.accesses[1])]));
    }
    kinds.sort_unstable();
    kinds.dedup();
    let rules: Vec<Value> = kinds.iter().map(|kind| json!({"id": kind, "name": kind})).collect();
    let driver = json!({"name": "gabion", "version": env!("CARGO_PKG_VERSION"), "rules": rules});
    let notification = |error: &String| json!({"level": "error", "message": {"text": visible(error)}});
    let notifications: Vec<Value> = report.error.iter().map(notification).collect();
    let run = json!({
        "tool": {"driver": driver},
        "results": results,
        "invocations": [{"executionSuccessful": report.error.is_none(), "toolExecutionNotifications": notifications}],
        "properties": {"verdict": report.verdict.name(), "runs": report.runs},
    });
    let document = json!({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]});
    in_json(format!("{document:#}\n"))
}

fn named(level: Level) -> &'static str {
    match level {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Note => "note",
    }
}

fn result(rule: &str, level: &str, message: &str, place: Option<&str>, related: &[(&str, &str)]) -> Value {
    let locations: Vec<Value> = place.and_then(location).into_iter().collect();
    let also = |(id, (place, what)): (usize, &(&str, &str))| {
        let mut place = location(place)?;
        (place["id"], place["message"]) = (json!(id), json!({"text": visible(what)}));
        Some(place)
    };
    let related: Vec<Value> = related.iter().enumerate().filter_map(also).collect();
    json!({
        "ruleId": rule,
        "level": level,
        "message": {"text": visible(message)},
        "locations": locations,
        "relatedLocations": related,
    })
}

/// `file:line` as a location.
fn location(place: &str) -> Option<Value> {
    let (file, line) = split(place)?;
    let uri: String = file.bytes().map(escaped).collect();
    let uri = if file.starts_with('/') { format!("file://{uri}") } else { uri };
    Some(json!({"physicalLocation": {"artifactLocation": {"uri": uri}, "region": {"startLine": line}}}))
}

/// The parts of `file:line`.
pub(crate) fn split(place: &str) -> Option<(&str, u32)> {
    let (file, line) = place.rsplit_once(':')?;
    let line = line.parse().ok().filter(|line| *line > 0)?;
    (!file.is_empty()).then_some((file, line))
}

fn escaped(byte: u8) -> String {
    match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' | b'~' | b'+' => {
            char::from(byte).to_string()
        }
        other => format!("%{other:02X}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places() {
        assert_eq!(split("src/a.c:12"), Some(("src/a.c", 12)));
        assert_eq!(split("program+0x12"), None);
        assert_eq!(split("a.c:0"), None);
        let place = location("/a b/c.c:3").expect("a place");
        assert_eq!(place["physicalLocation"]["artifactLocation"]["uri"], "file:///a%20b/c.c");
    }
}
