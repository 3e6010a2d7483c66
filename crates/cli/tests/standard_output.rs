//! Standard output that cannot be written (closed, full, a broken pipe) gives a message and status 2; a bug keeps status 1.

mod place;

use place::{Place, RACY, Ran, locked, ran};
use std::process::Command;

/// Runs a line of a shell in which `$g` is gabion.
fn shell(place: &Place, line: &str) -> Ran {
    let output = Command::new("sh")
        .args(["-c", line])
        .env("g", env!("CARGO_BIN_EXE_gabion"))
        .current_dir(place.0.path())
        .stdin(std::process::Stdio::null())
        .output()
        .expect("a shell starts");
    ran(output)
}

/// Standard output that is closed, that is full, and that nobody reads any more. The last tells the status on standard error.
const LOST: [(&str, &str); 3] =
    [("", " >&-"), ("", " >/dev/full"), ("{ sleep 0.2; ", "; echo status $? >&2; } | true")];

fn check(place: &Place, command: &str, status: i32) {
    for (before, after) in LOST {
        let line = format!("{before}\"$g\" {command}{after}");
        let ran = shell(place, &line);
        let came = match ran.err.rsplit_once("status ") {
            Some((_, status)) if after.contains("status") => status.trim().parse().expect("a number"),
            _ => ran.status,
        };
        assert_eq!(came, status, "{line}: {}", ran.err);
        assert_eq!(ran.err.matches("cannot write to standard output").count(), 1, "{line}: {}", ran.err);
    }
}

#[test]
fn what_standard_output_does_not_take_is_status_2() {
    let place = Place::new();
    place.write("racy.c", RACY).write("locked.c", locked());
    check(&place, "check --json - locked.c", 2);
    check(&place, "check --quiet locked.c", 2);
    check(&place, "check --quiet --github locked.c", 2);
    check(&place, "check --json - --max-runs 1 locked.c", 2);
    check(&place, "check --json - nothing.c", 2);
    check(&place, "doctor", 2);
    check(&place, "--help", 2);
    check(&place, "check --no-such-option --json -", 2);
    // A bug stays one.
    check(&place, "check --json - racy.c", 1);
    check(&place, "check racy.c", 1);
    check(&place, "replay racy.trace", 1);
    check(&place, "show racy.trace", 2);
}

#[test]
fn standard_error_is_no_output() {
    let place = Place::new();
    place.write("locked.c", locked());
    for to in ["2>&-", "2>/dev/full"] {
        let ran = shell(&place, &format!("\"$g\" check --json - locked.c {to}"));
        assert_eq!(ran.status, 0, "{to}: {}", ran.out);
        assert!(ran.out.contains("\"verdict\":\"verified\""), "{to}: {}", ran.out);
    }
}
