//! Whatever a program says, and wherever the report is to go, it is told.

mod place;

use place::{Place, RACY, locked};

/// Loses an update, and says so in red.
const RED: &str = r#"use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
static N: AtomicUsize = AtomicUsize::new(0);
fn add() {
    let n = N.load(SeqCst);
    N.store(n + 1, SeqCst);
}
fn main() {
    let t = std::thread::spawn(add);
    add();
    t.join().unwrap();
    println!("\x1b[32mgreen\x07");
    assert_eq!(N.load(SeqCst), 2, "\x1b[31mlost\x01");
}
"#;

/// A text without what a terminal obeys or XML does not allow.
fn check_plain(name: &str, text: &str) {
    let odd = text.chars().find(|c| c.is_control() && !"\n\t".contains(*c));
    assert_eq!(odd, None, "{name}: {text}");
}

#[test]
fn control_characters_of_the_program_are_written_out_everywhere() {
    let place = Place::new();
    place.write("p.rs", RED);
    let outputs = ["--html", "p.html", "--junit", "p.xml", "--sarif", "p.sarif", "--trace", "p.trace"];
    let ran = place.gabion(&[&["check", "p.rs", "--github"][..], &outputs].concat());
    assert_eq!(ran.status, 1, "{}", ran.err);
    let read = |name: &str| std::fs::read_to_string(place.path(name)).expect("it was written");
    let replayed = place.gabion(&["replay", "p.trace"]);
    assert_eq!(replayed.status, 1, "{}", replayed.err);
    let quiet = place.gabion(&["check", "p.rs", "-q"]);
    let texts = [
        ("terminal", ran.out),
        ("page", read("p.html")),
        ("JUnit", read("p.xml")),
        ("SARIF", read("p.sarif")),
        ("replay", replayed.out),
        ("quiet", quiet.out),
    ];
    for (name, text) in texts {
        check_plain(name, &text);
        assert!(text.contains("x1b[31mlost"), "{name}: {text}");
        assert!(!text.contains("u001b"), "{name}: {text}");
    }
}

#[test]
fn what_cannot_be_written_is_an_error_and_the_rest_is_told() {
    let place = Place::new();
    place.write("good.c", locked()).write("bad.c", RACY);
    for option in ["--html", "--json", "--junit", "--sarif"] {
        let ran = place.gabion(&["check", "good.c", option, "nowhere/x"]);
        assert_eq!(ran.status, 2, "{option}: {}", ran.err);
        let said: Vec<&str> = ran.err.lines().collect();
        assert!(
            said.len() == 1 && said[0].contains("cannot write nowhere/x: ") && said[0].contains(option),
            "{said:?}"
        );
        assert!(ran.out.starts_with("verified: "), "{}", ran.out);
        // A bug stays one.
        let ran = place.gabion(&["check", "bad.c", option, "nowhere/x", "--trace", "bad.trace"]);
        assert_eq!((ran.status, ran.err.lines().count()), (1, 1), "{option}: {}", ran.err);
        assert!(ran.out.contains("bug: an interleaving fails"), "{}", ran.out);
    }
    let ran = place.gabion(&["check", "good.c", "--html", "nowhere/x", "--json", "good.json", "--junit", "good.xml"]);
    assert_eq!(ran.status, 2);
    let json = std::fs::read_to_string(place.path("good.json")).expect("it was written");
    assert!(json.contains("\"verdict\":\"verified\"") && place.path("good.xml").exists(), "{json}");
    let ran = place.gabion(&["check", "bad.c", "--trace", "nowhere/x"]);
    assert_eq!(ran.status, 1, "{}", ran.err);
    assert!(ran.err.contains("cannot write nowhere/x: ") && !ran.out.contains("gabion replay"), "{}", ran.out);
}
