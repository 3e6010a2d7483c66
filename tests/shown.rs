//! One program for each kind of finding, as it is shown in a terminal and as a page, blessed: `INSTA_UPDATE=always cargo test -p
//! gabion-tests --test shown` rewrites the snapshots, review them like code (and look at a page).

#![forbid(unsafe_code)]

use gabion_tests::run::call;
use gabion_tests::workspace;
use std::path::Path;
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(120);

/// Kind, program, options.
const SHOWN: [(&str, &str, &[&str]); 15] = [
    ("assertion", "basics/lost_update.c", &[]),
    ("abort", "deepening/nested_race.c", &[]),
    ("panic", "rust/poison_unwrap.rs", &[]),
    ("segfault", "basics/order_violation.c", &[]),
    ("deadlock", "basics/abba.c", &[]),
    ("livelock", "waiting/flag_never.c", &[]),
    ("infinite-loop", "abuse/circular_list.c", &[]),
    ("use-after-free", "heap/last_reference.c", &[]),
    ("double-free", "heap/double_free_race.c", &[]),
    ("bad-free", "cpp/delete_malloc.cpp", &[]),
    ("heap-overflow", "heap/length_before_buffer.c", &[]),
    ("lock-misuse", "rwlock/unlock_by_stranger.c", &[]),
    ("race", "races/denied.c", &["--races", "deny"]),
    ("exit", "process/exit_status.c", &[]),
    ("uncaught-exception", "cpp/future_broken.cpp", &[]),
];

fn run(directory: &Path, args: &[&str]) -> (i32, String) {
    let args: Vec<String> = args.iter().map(|a| a.to_string()).collect();
    let output = call(directory, &args, LIMIT).expect("gabion ends");
    (output.code().unwrap_or_else(|error| panic!("{error}\n{}", output.tail())), output.stdout)
}

/// Addresses in libraries depend on what else is loaded.
fn steady(text: &str) -> String {
    let mut parts = text.split("0x7f");
    let first = parts.next().unwrap_or_default().to_string();
    parts.fold(first, |all, part| all + "0x7f..." + part.trim_start_matches(|c: char| c.is_ascii_hexdigit()))
}

/// A page without what is the same in all, and without what names this machine.
fn bare(page: &str) -> String {
    let (_, body) = page.split_once("<body>").expect("a page has a body");
    let (body, _) = body.split_once("<footer>").expect("a page has a footer");
    body.replace("><", ">\n<")
}

#[test]
fn every_kind_of_finding_is_shown_as_blessed() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    for (kind, program, options) in SHOWN {
        let name = Path::new(program).file_name().expect("a program has a name").to_string_lossy().into_owned();
        // The program and its neighbours, so that no path of this machine is in what is shown.
        let from = workspace().join("programs").join(program);
        for file in std::fs::read_dir(from.parent().expect("a program is in a directory")).expect("it can be read") {
            let file = file.expect("it can be read").path();
            if file == from || file.extension().is_some_and(|e| e == "h") {
                std::fs::copy(&file, directory.path().join(file.file_name().expect("a file"))).expect("it is copied");
            }
        }
        let check = [&["check", &name, "--trace", "t.trace", "--html", "page.html"][..], options].concat();
        let (status, said) = run(directory.path(), &check);
        assert_eq!(status, 1, "{program}\n{said}");
        let (_, terminal) = run(directory.path(), &["show", "t.trace"]);
        assert!(terminal.starts_with(&format!("{kind}:")), "{program}\n{terminal}");
        // A name may be longer than a line, and what the program printed is shown as it was.
        let fits =
            |line: &str| line.chars().count() <= 80 || line.trim().split(' ').count() < 4 || line.starts_with("  | ");
        assert!(terminal.lines().all(fits), "{terminal}");
        insta::assert_snapshot!(format!("{kind}-terminal"), steady(&terminal));
        let page = std::fs::read_to_string(directory.path().join("page.html")).expect("the page was written");
        let (_, nothing) = run(directory.path(), &["show", "t.trace", "--html", "again.html"]);
        assert_eq!(nothing, "");
        let again = std::fs::read_to_string(directory.path().join("again.html")).expect("the page was written");
        assert_eq!(bare(&page), bare(&again), "{program}: from the file alone it is the same");
        insta::assert_snapshot!(format!("{kind}-page"), steady(&bare(&page)));
    }
}

/// What an atomic operation met and left, of which only the second is recorded.
#[test]
fn atomic_operations_show_the_values_that_they_met_and_left() {
    const PROGRAM: &str = "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\nstatic atomic_int n = 1;\n\
        static void *take(void *u) {\n    if (atomic_load(&n) > 0) {\n        int old = atomic_fetch_sub(&n, 1);\n        \
        assert(old == 1);\n    }\n    return u;\n}\nint main(void) {\n    pthread_t a, b;\n    pthread_create(&a, 0, take, 0);\n    \
        pthread_create(&b, 0, take, 0);\n    pthread_join(a, 0);\n    pthread_join(b, 0);\n}\n";
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    std::fs::write(directory.path().join("p.c"), PROGRAM).expect("the program is written");
    let (status, said) = run(directory.path(), &["check", "p.c"]);
    assert_eq!(status, 1, "{said}");
    let text = said.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("updates n at p.c:7 and finds 0"), "{said}");
    assert!(text.contains("came between and changes it"), "{said}");
    assert!(text.contains("n: 1 -> 0") && text.contains("n: 0 -> -1"), "{said}");
}
