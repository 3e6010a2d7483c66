//! Explanations name what can be shown to matter: each program in `explained/` has in its header options (`gabion:`), words that
//! the heading (`heads:`), the explanation (`says:`) and the interleaving below it must have (`shows:`), and words that the
//! explanation (`never:`) and the interleaving (`hides:`) must not.

#![forbid(unsafe_code)]

use gabion_tests::run::{LIMIT, call};
use gabion_tests::workspace;
use std::path::Path;

/// The words behind every such mark in a program's header.
fn marked<'a>(text: &'a str, mark: &'a str) -> impl Iterator<Item = &'a str> {
    let header = text.lines().map_while(|line| line.strip_prefix("// "));
    header.filter_map(move |line| line.strip_prefix(mark)).map(str::trim)
}

/// What stands between two headings of a report, as one line.
fn explanation(report: &str) -> String {
    let after = report.split("How it came about:").nth(1).unwrap_or_default();
    let words = after.split("The interleaving:").next().unwrap_or_default();
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn check(program: &Path) {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let name = program.file_name().expect("a program has a name").to_string_lossy().into_owned();
    let text = std::fs::read_to_string(program).expect("it can be read");
    std::fs::write(directory.path().join(&name), &text).expect("it is copied");
    let mut args = vec!["check".to_string(), name.clone()];
    args.extend(marked(&text, "gabion:").flat_map(str::split_whitespace).map(str::to_string));
    let output = call(directory.path(), &args, LIMIT).expect("gabion ends");
    assert_eq!(output.code(), Ok(1), "{name}\n{}", output.tail());
    let said = explanation(&output.stdout);
    let heading = output.stdout.split("How it came about:").next().unwrap_or_default();
    let heading = heading.split_whitespace().collect::<Vec<_>>().join(" ");
    marked(&text, "heads:")
        .for_each(|words| assert!(heading.contains(words), "{name}: {words:?} is not in {heading:?}"));
    let mut says = marked(&text, "says:").peekable();
    assert!(says.peek().is_some(), "{name} does not say what it is about");
    says.for_each(|words| assert!(said.contains(words), "{name}: {words:?} is not in {said:?}"));
    let shown = output.stdout.split_once("The interleaving:").map_or("", |(_, shown)| shown);
    let shown = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    marked(&text, "shows:").for_each(|words| assert!(shown.contains(words), "{name}: {words:?} is not in\n{shown}"));
    marked(&text, "hides:").for_each(|words| assert!(!shown.contains(words), "{name}: {words:?} is in\n{shown}"));
    marked(&text, "never:").for_each(|words| assert!(!said.contains(words), "{name}: {words:?} is in {said:?}"));
}

#[test]
fn an_explanation_names_what_matters() {
    let all = std::fs::read_dir(workspace().join("tests/explained")).expect("the programs are there");
    let mut all: Vec<_> = all.map(|file| file.expect("it can be read").path()).collect();
    all.sort();
    assert!(!all.is_empty());
    all.iter().for_each(|program| check(program));
}
