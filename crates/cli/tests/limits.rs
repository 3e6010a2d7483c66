//! Under the limits of a cautious shell gabion works, or says which one is too low.

mod place;

use place::{Place, RACY, Ran, ran};
use std::process::{Command, Stdio};

/// A check in a shell with that limit.
fn check(place: &Place, limit: &str, more: &str) -> Ran {
    let line = format!("ulimit {limit} && exec \"$0\" check {more} ./racy");
    let mut command = Command::new("bash");
    command.args(["-c", &line, env!("CARGO_BIN_EXE_gabion")]).current_dir(place.0.path()).stdin(Stdio::null());
    ran(command.output().expect("bash starts"))
}

fn place() -> Place {
    let place = Place::new();
    // The program tells the limits that it sees.
    let shown = "    struct rlimit files, stack;\n    getrlimit(RLIMIT_NOFILE, &files);\n    getrlimit(RLIMIT_STACK, &stack);\n    \
                 printf(\"files %ld stack %ld\\n\", (long)files.rlim_cur, (long)stack.rlim_cur);\n    pthread_t a, b;";
    let source = RACY.replace("    pthread_t a, b;", shown);
    place.write("racy.c", format!("#include <sys/resource.h>\n{source}"));
    let built = place.gabion(&["cc", "-g", "-pthread", "racy.c", "-o", "racy"]);
    assert_eq!(built.status, 0, "{}", built.err);
    place
}

#[test]
fn limits_that_are_too_low_are_named() {
    let place = place();
    for (limit, option) in [
        ("-n 1000", "-n"),
        ("-n 64", "-n"),
        ("-n 12", "-n"),
        ("-f 1000", "-f"),
        ("-v 4000000", "-v"),
        ("-d 100000", "-d"),
        ("-s 200", "-s"),
    ] {
        let ran = check(&place, limit, "--json -");
        assert_eq!(ran.status, 2, "ulimit {limit}: {}{}", ran.out, ran.err);
        let expected = format!("(ulimit {option}), and gabion needs");
        assert!(ran.err.contains(&expected), "ulimit {limit}: {}", ran.err);
        assert!(ran.out.contains(&expected), "ulimit {limit}, in JSON: {}", ran.out);
        assert!(!ran.err.contains("panicked"), "{}", ran.err);
    }
}

#[test]
fn limits_that_can_be_raised_are() {
    let place = place();
    for limit in ["-Sn 1000", "-Sn 64", "-Sn 20", "-Sf 1000", "-Sv 4000000", "-Sd 100000", "-Ss 200", "-l 0", "-c 0"] {
        let ran = check(&place, limit, "--jobs 20");
        assert_eq!(ran.status, 1, "ulimit {limit}: {}{}", ran.out, ran.err);
    }
}

/// The program's own limits on files and stack are the same under every limit of the shell, and whatever gabion needs for itself.
#[test]
fn the_program_sees_the_same_limits_everywhere() {
    let place = place();
    let seen = |limit: &str| {
        let ran = check(&place, limit, "");
        let line = ran.out.lines().find(|line| line.contains("files ") && line.contains(" stack "));
        line.unwrap_or_else(|| panic!("{limit}: {}{}", ran.out, ran.err)).to_owned()
    };
    let usual = seen("-c 0");
    for limit in ["-Sn 300", "-Sn 2000", "-Ss 500", "-Ss 20000"] {
        assert_eq!(seen(limit), usual, "ulimit {limit}");
    }
}

#[test]
fn too_few_processes() {
    let place = place();
    // Root is not bound by that limit; whoever has no number in the list of users is.
    let line = "ulimit -u 1 && exec \"$0\" check --trace /dev/null ./racy";
    let mut command = Command::new("bash");
    command.args(["-c", line, env!("CARGO_BIN_EXE_gabion")]).current_dir(place.0.path()).stdin(Stdio::null());
    let ran = ran(command.output().expect("bash starts"));
    assert!([1, 2].contains(&ran.status), "{}{}", ran.out, ran.err);
    assert!(ran.status == 1 || ran.err.contains("ulimit -u"), "{}", ran.err);
    assert!(!ran.err.contains("panicked"), "{}", ran.err);
}
