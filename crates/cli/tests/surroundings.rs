//! What a program sees of where it is started is in its trace: a replay gives it the same wherever it is made.

mod place;

use place::{Place, Ran, ran};
use std::process::Command;

/// Fails only with the variable FOO, with a umask, and with the limit on open files; prints its directory, its name and where that is.
const ASKS: &str = r#"#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
extern char **environ;
static int counter;
static void *worker(void *arg) {
    int seen = counter;
    char c = *getenv("FOO") + *(char *)arg;
    counter = seen + (c != 0);
    return arg;
}
int main(int argc, char **argv) {
    pthread_t a, b;
    char here[4096];
    const char *foo = getenv("FOO");
    mode_t mask = umask(0);
    umask(mask);
    char *largest = strdup(argv[0]);
    for (char **e = environ; *e; e++)
        if (strlen(*e) > 5000 || strncmp(*e, "LD_PRELOAD", 10) == 0 || strncmp(*e, "GABION", 6) == 0)
            return 3;
    if (!foo || strcmp(foo, "bar") || !getcwd(here, sizeof here) || mask != 027 || sysconf(_SC_OPEN_MAX) != 1024)
        return 0;
    for (char *at = argv[0]; *at; at++)
        counter += *at != 0;
    counter = 0;
    pthread_create(&a, 0, worker, largest);
    pthread_create(&b, 0, worker, argv[0]);
    pthread_join(a, 0);
    pthread_join(b, 0);
    printf("in %s as %s, at %p\n", strrchr(here, '/'), argv[0], (void *)argv[0]);
    assert(counter == 2);
    return 0;
}
"#;

/// Runs a line of the shell with gabion as `$G`.
fn shell(place: &Place, line: &str) -> Ran {
    let output = Command::new("sh")
        .args(["-c", line])
        .env("G", env!("CARGO_BIN_EXE_gabion"))
        .env_remove("FOO")
        .current_dir(place.0.path())
        .stdin(std::process::Stdio::null())
        .output();
    ran(output.expect("a shell"))
}

/// A place with a program that is checked so that it fails.
fn recorded(line: &str) -> Place {
    let place = Place::new();
    std::fs::create_dir_all(place.path("here")).expect("a directory");
    std::fs::create_dir_all(place.path("there")).expect("a directory");
    place.write("here/asks.c", ASKS);
    let check = shell(&place, line);
    assert_eq!(check.status, 1, "{}{}", check.out, check.err);
    place
}

const CHECK: &str = "cd here && umask 027 && FOO=bar $G check -q asks.c";

#[test]
fn a_replay_gives_the_program_what_it_saw() {
    let place = recorded(CHECK);
    let first = shell(&place, "cd there && $G replay ../here/asks.trace");
    assert_eq!(first.status, 1, "{}{}", first.out, first.err);
    assert!(first.out.contains("in /here as ./asks, at 0x"), "{}", first.out);
    for before in [
        "ulimit -Ss 256;",
        "ulimit -Ss 1048576;",
        "ulimit -Ss unlimited;",
        "ulimit -s 4096;",
        "ulimit -n 1100;",
        "umask 077; export TZ=Asia/Tokyo LANG=C.UTF-8 LC_ALL=C;",
        "export FOO=other MUCH=$(head -c 60000 /dev/zero | tr '\\0' x);",
        "unset HOME PATH_INFO; export XDG_CACHE_HOME=$PWD/a/much/longer/cache/than/the/usual/one;",
        "setarch -R -L",
    ] {
        let ran = shell(&place, &format!("cd there; {before} $G replay ../here/asks.trace"));
        assert_eq!((ran.status, &ran.out, ran.err.as_str()), (1, &first.out, ""), "{before}");
    }
    let clean = shell(&place, "cd there; env -i HOME=$HOME PATH=$PATH $G replay ../here/asks.trace --times 3");
    assert_eq!(clean.status, 1, "{}{}", clean.out, clean.err);
}

#[test]
fn a_check_goes_the_same_way_under_any_limit() {
    for before in ["ulimit -Ss unlimited;", "ulimit -Ss 1048576;", "ulimit -Ss 128;"] {
        let place = recorded(&format!("{before} {CHECK}"));
        let ran = shell(&place, "$G replay here/asks.trace");
        assert_eq!((ran.status, ran.err.as_str()), (1, ""), "{before} {}", ran.out);
    }
}

#[test]
fn a_program_that_was_moved_with_its_trace_is_found() {
    let place = recorded("cd here && $G cc -o asks asks.c && umask 027 && FOO=bar $G check -q ./asks");
    let moved = shell(&place, "mv here/asks here/asks.trace there && rm here/asks.c && $G replay there/asks.trace");
    assert_eq!((moved.status, moved.err.as_str()), (1, ""), "{}", moved.out);
    assert!(moved.out.contains("/here as "), "{}", moved.out);
}

#[test]
fn a_directory_that_is_gone_is_said() {
    let place = recorded(CHECK);
    let gone = shell(&place, "mv here gone && cd there && $G replay ../gone/asks.trace");
    assert!(
        gone.err.contains("here is no directory here: the program, which ran in it when it was recorded"),
        "{}",
        gone.err
    );
    assert_eq!(gone.status, 1, "{}{}", gone.out, gone.err);
}

/// The caller's secrets are not in what is given to others: only what the program asks for by name.
#[test]
fn a_trace_holds_no_more_of_the_environment_than_the_program_can_ask_for() {
    let place = recorded(&format!("export GABION_TOKEN=s3cr3t-1 SOME_API_KEY=s3cr3t-2 LC_NUMERIC=C; {CHECK}"));
    let text = shell(&place, "tail -n +2 here/asks.trace | python3 -c 'import sys,zlib; sys.stdout.write(zlib.decompress(sys.stdin.buffer.read(), -15).decode())'").out;
    assert!(
        text.contains("\"FOO\",\"bar\"") && text.contains("LC_NUMERIC"),
        "the trace was read: {}",
        &text[..text.len().min(400)]
    );
    assert!(!text.contains("s3cr3t"));
}
