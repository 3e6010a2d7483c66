//! One program for each kind of finding, as it is shown in a terminal and as a page, blessed: `INSTA_UPDATE=always cargo test -p
//! gabion-tests --test shown` rewrites the snapshots, review them like code (and look at a page).

#![forbid(unsafe_code)]

use gabion_tests::run::{LIMIT, call};
use gabion_tests::workspace;
use std::path::Path;

/// Kind, program, options, and words that the explanation must have.
type Shown = (&'static str, &'static str, &'static [&'static str], &'static [&'static str]);

const SHOWN: [Shown; 16] = [
    (
        "assertion",
        "basics/lost_update.c",
        &[],
        &["and finds 1", "belong together", "is overwritten by what knows nothing of it"],
    ),
    ("abort", "deepening/nested_race.c", &[], &["belong together"]),
    ("panic", "rust/poison_unwrap.rs", &[], &["poison_unwrap.rs:13 and finds 1", "before that T1"]),
    (
        "segfault",
        "basics/order_violation.c",
        &[],
        &["fails before its first step, right after T0 (main) did \"create T1\""],
    ),
    (
        "deadlock",
        "basics/abba.c",
        &[],
        &["wait for each other in a circle", "locked it at abba.c:10", "in the same order"],
    ),
    ("livelock", "waiting/flag_never.c", &[], &["reads flag at flag_never.c:18 again and again"]),
    ("infinite-loop", "abuse/circular_list.c", &[], &["and does not end"]),
    ("use-after-free", "heap/last_reference.c", &[], &["was allocated by T0", "then freed by T1", "then used by T0"]),
    ("double-free", "heap/double_free_race.c", &[], &["then freed by T1", "then freed again by T0"]),
    ("bad-free", "cpp/delete_malloc.cpp", &[], &[]),
    (
        "heap-overflow",
        "heap/length_before_buffer.c",
        &[],
        &["reads buffer", "and finds &heap(length_before", "it finds &heap("],
    ),
    ("lock-misuse", "rwlock/unlock_by_stranger.c", &[], &["locked lock before it created", "unlocks it at"]),
    (
        "race",
        "races/denied.c",
        &["--races", "deny"],
        &["Nothing orders two accesses to counter", "A lock that both hold"],
    ),
    ("exit", "process/exit_status.c", &[], &[]),
    ("uncaught-exception", "cpp/future_broken.cpp", &[], &["before that T1"]),
    ("leak", "heap/leak.c", &["--leaks"], &["at leak.c:"]),
];

/// Explanations that have another form: as above.
const ALSO_EXPLAINED: [Shown; 4] = [
    ("abort", "cpp/terminate.cpp", &[], &["at terminate.cpp:8"]),
    ("deadlock", "c11/lost_wakeup.c", &[], &["The wake-up is lost: T", "before T"]),
    // Names of the C++ library's files and functions are long.
    (
        "use-after-free",
        "cpp/shared_ptr_itself.cpp",
        &[],
        &["was allocated by T0", "then freed by T1", "then used by T0"],
    ),
    ("exit", "threads/unjoined.c", &[], &["reads x at unjoined.c:17 and finds 0", "it finds 1"]),
];

fn run(directory: &Path, args: &[&str]) -> (i32, String) {
    let args: Vec<String> = args.iter().map(|a| a.to_string()).collect();
    let output = call(directory, &args, LIMIT).expect("gabion ends");
    (output.code().unwrap_or_else(|error| panic!("{error}\n{}", output.tail())), output.stdout)
}

/// Addresses in libraries depend on what else is loaded, those of what has no lines (`program+0x12`) on the compiler, and names of
/// the standard library's sources on whether they are here.
fn steady(text: &str) -> String {
    const SOURCES: &str = "lib/rustlib/src/rust/library/";
    let mut parts = text.split(SOURCES);
    let first = parts.next().unwrap_or_default().to_string();
    let text = parts.fold(first, |all, part| {
        let before = all.rfind(['"', ' ', '\n']).map_or(0, |at| at + 1);
        format!("{}/rustc/.../library/{part}", &all[..before])
    });
    let mut parts = text.split("/rustc/");
    let first = parts.next().unwrap_or_default().to_string();
    let text = parts.fold(first, |all, part| {
        all + "/rustc/" + &part.replacen(part.split('/').next().unwrap_or_default(), "...", 1)
    });
    let text = without_digits(&text, "0x7f");
    without_digits(&text, "poison_unwrap+0x")
}

/// Hexadecimal digits after this are left out.
fn without_digits(text: &str, after: &str) -> String {
    let mut parts = text.split(after);
    let first = parts.next().unwrap_or_default().to_string();
    parts.fold(first, |all, part| all + after + "..." + part.trim_start_matches(|c: char| c.is_ascii_hexdigit()))
}

/// A page without what is the same in all, and without what names this machine.
fn bare(page: &str) -> String {
    let (_, body) = page.split_once("<body>").expect("a page has a body");
    let (body, _) = body.split_once("<footer>").expect("a page has a footer");
    body.replace("><", ">\n<")
}

/// Checks a program where no path of this machine gets into what is shown: a copy of it and its neighbours. Gives what `show` prints.
fn checked(directory: &Path, (kind, program, options, words): Shown) -> String {
    let name = Path::new(program).file_name().expect("a program has a name").to_string_lossy().into_owned();
    let from = workspace().join("programs").join(program);
    for file in std::fs::read_dir(from.parent().expect("a program is in a directory")).expect("it can be read") {
        let file = file.expect("it can be read").path();
        if file == from || file.extension().is_some_and(|e| e == "h") {
            std::fs::copy(&file, directory.join(file.file_name().expect("a file"))).expect("it is copied");
        }
    }
    let check = [&["check", &name, "--trace", "t.trace", "--html", "page.html"][..], options].concat();
    let (status, said) = run(directory, &check);
    assert_eq!(status, 1, "{program}\n{said}");
    let (_, terminal) = run(directory, &["show", "t.trace"]);
    assert!(terminal.starts_with(&format!("{kind}:")), "{program}\n{terminal}");
    // What the program printed is shown as it was.
    let fits = |line: &&str| line.chars().count() <= 80 || line.starts_with("  | ");
    assert_eq!(said.lines().chain(terminal.lines()).find(|line| !fits(line)), None, "{program}");
    let explained = terminal.split("How it came about:").nth(1).unwrap_or_default();
    let explained = explained.split("The interleaving:").next().unwrap_or_default();
    let explained = explained.split_whitespace().collect::<Vec<_>>().join(" ");
    words.iter().for_each(|word| assert!(explained.contains(word), "{program}: {word:?} is not in {explained:?}"));
    terminal
}

#[test]
fn what_has_another_form_is_explained_too() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    ALSO_EXPLAINED.into_iter().for_each(|shown| drop(checked(directory.path(), shown)));
}

#[test]
fn every_kind_of_finding_is_shown_as_blessed() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    for shown in SHOWN {
        let (kind, program, ..) = shown;
        let terminal = checked(directory.path(), shown);
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
    assert!(text.contains("atomic load n (is 1)") && text.contains("atomic update n (1 -> 0)"), "{said}");
    assert!(text.contains("atomic update n (0 -> -1)"), "{said}");
}

/// Each access leads to those that it conflicts with, whatever else lies in the same word of memory.
#[test]
fn neighbours_in_memory_do_not_hide_conflicts() {
    const PROGRAM: &str = "#include <pthread.h>\nstatic pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\nstatic struct { _Alignas(8) int held, n; } s;\n\
        static void lock(void) { pthread_mutex_lock(&m); s.held = 1; }\n\
        static void unlock(void) { if (s.held) { s.held = 0; pthread_mutex_unlock(&m); } }\n\
        static void *work(void *u) {\n    lock();\n    s.n++;\n    unlock();\n    unlock();\n    return u;\n}\n\
        int main(void) {\n    pthread_t t;\n    pthread_create(&t, 0, work, 0);\n    lock();\n    s.n++;\n    unlock();\n    \
        pthread_join(t, 0);\n}\n";
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    std::fs::write(directory.path().join("p.c"), PROGRAM).expect("the program is written");
    let (status, said) = run(directory.path(), &["check", "p.c", "--html", "page.html"]);
    assert_eq!(status, 1, "{said}");
    let page = std::fs::read_to_string(directory.path().join("page.html")).expect("the page was written");
    let table =
        page.split("id=\"interleaving\"").nth(1).and_then(|rest| rest.split("</table>").next()).expect("a table");
    let rows: Vec<&str> = table.split("<tr class=\"one").collect();
    let step = |words: &str| rows.iter().rposition(|row| row.contains(words)).expect("a step of the interleaving");
    // The row before the first has no step.
    let (write, read) = (step("T0 write s.held (0"), step("T1 read s.held (is 1)"));
    assert!(write < read, "{said}");
    for (from, to) in [(read, write), (write, read)] {
        assert!(rows[from].contains(&format!("href=\"#step-{to}\"")), "from {from} to {to}: {}", rows[from]);
    }
}

/// Who waits is found at the program's own line, not where a header calls the C library, and is shown at the end of its column.
#[test]
fn a_deadlock_through_a_library_is_told_at_the_lines_of_the_program() {
    const CPP: &str = "#include <mutex>\n#include <thread>\nstatic std::mutex x, y;\nstatic void both(std::mutex &a, std::mutex &b) {\n    \
        std::lock_guard<std::mutex> first(a);\n    std::lock_guard<std::mutex> second(b);\n}\nint main() {\n    \
        std::thread t([] { both(x, y); });\n    both(y, x);\n    t.join();\n}\n";
    const RUST: &str = "use std::sync::{Arc, Mutex};\nfn both(a: &Mutex<i32>, b: &Mutex<i32>) {\n    let _first = a.lock().unwrap();\n    \
        let _second = b.lock().unwrap();\n}\nfn main() {\n    let (x, y) = (Arc::new(Mutex::new(0)), Arc::new(Mutex::new(0)));\n    \
        let (a, b) = (x.clone(), y.clone());\n    \
        let t = std::thread::Builder::new().name(\"payer\".into()).spawn(move || both(&a, &b)).unwrap();\n    \
        both(&y, &x);\n    t.join().unwrap();\n}\n";
    for (name, text, locked, waits) in [("p.cpp", CPP, "p.cpp:5", "p.cpp:6"), ("p.rs", RUST, "p.rs:3", "p.rs:4")] {
        let directory = tempfile::tempdir().expect("a temporary directory can be made");
        std::fs::write(directory.path().join(name), text).expect("the program is written");
        let (status, said) = run(directory.path(), &["check", name, "--trace", "t.trace", "--json", "-"]);
        assert_eq!(status, 1, "{said}");
        let report: serde_json::Value = serde_json::from_str(&said).expect("it is JSON");
        let bug = &report["bugs"][0];
        assert_eq!(bug["location"], waits, "{said}");
        for line in bug["waiting"].as_array().expect("who waits") {
            let line = line.as_str().expect("a line");
            assert!(
                line.contains(&format!(" at {waits}; T")) && line.ends_with(&format!("locked it at {locked}")),
                "{line}"
            );
        }
        let (_, shown) = run(directory.path(), &["show", "t.trace"]);
        let words = shown.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains("which T1 holds") && words.contains("which T0 holds"), "{shown}");
        assert!(name != "p.rs" || shown.contains("T1 payer"), "the program's own name for a thread: {shown}");
    }
}

/// The same mutex functions called from elsewhere: another deadlock.
#[test]
fn deadlocks_are_told_apart_by_who_calls_the_library() {
    const PROGRAM: &str = "#include <gabion.h>\n#include <mutex>\n#include <thread>\nstatic std::mutex x, y;\nstatic void both(std::mutex &a, std::mutex &b) {\n    \
        std::lock_guard<std::mutex> first(a);\n    std::lock_guard<std::mutex> second(b);\n}\nint main() {\n    \
        std::thread t([] { both(x, y); });\n    if (gabion_choose(2))\n        both(y, x);\n    else\n        both(y, x);\n    t.join();\n}\n";
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    std::fs::write(directory.path().join("p.cpp"), PROGRAM).expect("the program is written");
    let (status, said) = run(directory.path(), &["check", "p.cpp", "--keep-going", "--json", "-"]);
    assert_eq!(status, 1, "{said}");
    let report: serde_json::Value = serde_json::from_str(&said).expect("it is JSON");
    assert_eq!(report["bugs"].as_array().map(Vec::len), Some(2), "{said}");
}

/// A thread's panic that another one passes on is told of the thread that panicked, at the step in which it did.
#[test]
fn a_panic_is_shown_where_it_happened() {
    const PROGRAM: &str = "use std::sync::Arc;\nuse std::sync::atomic::{AtomicUsize, Ordering::SeqCst};\nfn main() {\n    \
        let n = Arc::new(AtomicUsize::new(0));\n    let threads: Vec<_> = (0..2).map(|_| {\n        let n = n.clone();\n        \
        std::thread::spawn(move || {\n            let seen = n.fetch_add(1, SeqCst);\n            \
        assert_eq!(n.load(SeqCst), seen + 1);\n        })\n    }).collect();\n    \
        threads.into_iter().for_each(|t| t.join().unwrap());\n}\n";
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    std::fs::write(directory.path().join("p.rs"), PROGRAM).expect("the program is written");
    let (status, said) = run(directory.path(), &["check", "p.rs", "--trace", "t.trace", "--html", "page.html"]);
    assert_eq!(status, 1, "{said}");
    let (before, after) = said.split_once("***").expect("the failure is shown");
    let step =
        before.trim_end().lines().rev().find(|line| line.starts_with("  ") && line[..5].trim().parse::<u32>().is_ok());
    let step = step.expect("a step comes before it");
    // Both in the column of the thread that panicked.
    let column = |line: &str| 6 + line[6..].len() - line[6..].trim_start().len();
    let failure = said.lines().find(|line| line.contains("panic!")).expect("it is told");
    assert_eq!(failure.find("panic!"), Some(column(step)), "{said}");
    assert!(step.contains("atomic load"), "the panic follows the load that the assertion is about: {said}");
    assert!(after.contains("more steps until the program has ended"), "{said}");
    let explained = said.split("How it came about:").nth(1).expect("it is explained");
    let first = explained.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(first.starts_with("T1 ") && first.split('.').nth(1).is_some(), "{first}");
    assert!(first.contains("at p.rs:9 and finds 2; before that T2"), "{first}");
    let page = std::fs::read_to_string(directory.path().join("page.html")).expect("the page was written");
    let failing = page.split("class=\"one last\"").nth(1).expect("a step that fails");
    let row = failing.split('>').next().unwrap_or_default();
    assert!(row.contains(" data-words=\"T1 atomic load"), "{row}");
}

/// Programs whose explanation once mixed up variables, signals or threads: words that it must have, and one that it must not.
#[test]
fn an_explanation_says_what_was_so() {
    const START: &str = "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n#include <stdlib.h>\n";
    // Two fields of a structure on a stack; only the second loses an update.
    const FIELDS: &str = "struct pool { atomic_int left, used; };\nstatic void *take(void *u) {\n    struct pool *p = u;\n    \
        atomic_fetch_sub(&p->left, 1);\n    int n = atomic_load(&p->used);\n    atomic_store(&p->used, n + 1);\n    return u;\n}\n\
        int main(void) {\n    struct pool p;\n    pthread_t a, b;\n    atomic_store(&p.left, 2);\n    atomic_store(&p.used, 0);\n    \
        pthread_create(&a, 0, take, &p);\n    pthread_create(&b, 0, take, &p);\n    pthread_join(a, 0);\n    \
        pthread_join(b, 0);\n    assert(atomic_load(&p.used) == 2);\n}\n";
    // What is used rightly is written later than what is lost is read.
    const COUNT: &str = "static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\nstatic int head, count;\nstatic void add(int v) {\n    \
        pthread_mutex_lock(&m);\n    head = v;\n    pthread_mutex_unlock(&m);\n    count++;\n}\n\
        static void *one(void *u) { add(1); return u; }\nint main(void) {\n    pthread_t t;\n    pthread_create(&t, 0, one, 0);\n    \
        add(2);\n    pthread_join(t, 0);\n    assert(head != 0 && count == 2);\n}\n";
    // A signal where a broadcast is needed.
    const SIGNAL: &str = "static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n\
        static pthread_cond_t c = PTHREAD_COND_INITIALIZER;\nstatic int full;\nstatic void *get(void *u) {\n    \
        pthread_mutex_lock(&m);\n    while (!full) pthread_cond_wait(&c, &m);\n    full = 0;\n    pthread_cond_signal(&c);\n    \
        pthread_mutex_unlock(&m);\n    return u;\n}\nstatic void *put(void *u) {\n    for (int i = 0; i < 2; i++) {\n        \
        pthread_mutex_lock(&m);\n        while (full) pthread_cond_wait(&c, &m);\n        full = 1;\n        \
        pthread_cond_signal(&c);\n        pthread_mutex_unlock(&m);\n    }\n    return u;\n}\nint main(void) {\n    pthread_t t[3];\n    \
        pthread_create(&t[0], 0, get, 0);\n    pthread_create(&t[1], 0, get, 0);\n    pthread_create(&t[2], 0, put, 0);\n    \
        for (int i = 0; i < 3; i++) pthread_join(t[i], 0);\n}\n";
    const LAZY: &str = "static _Atomic(int *) table;\nstatic void *use(void *u) {\n    if (!atomic_load(&table))\n        \
        atomic_store(&table, calloc(1, 4));\n    return u;\n}\nint main(void) {\n    pthread_t a, b;\n    \
        pthread_create(&a, 0, use, 0);\n    pthread_create(&b, 0, use, 0);\n    pthread_join(a, 0);\n    \
        pthread_join(b, 0);\n}\n";
    // Each gives the turn to the other, for ever.
    const TURNS: &str = "static atomic_int turn, stop;\nstatic void *give(void *u) {\n    for (;;) {\n        \
        while (atomic_load(&turn) != 1)\n            if (atomic_load(&stop)) return u;\n        atomic_store(&turn, 0);\n    }\n}\n\
        int main(void) {\n    pthread_t t;\n    pthread_create(&t, 0, give, 0);\n    for (;;) {\n        \
        while (atomic_load(&turn) != 0);\n        atomic_store(&turn, 1);\n    }\n}\n";
    let check = |program: &str, has: &[&str], lacks: &str| {
        let directory = tempfile::tempdir().expect("a temporary directory can be made");
        std::fs::write(directory.path().join("p.c"), format!("{START}{program}")).expect("the program is written");
        let (status, said) = run(directory.path(), &["check", "p.c", "--leaks"]);
        assert_eq!(status, 1, "{said}");
        let text = said.split_whitespace().collect::<Vec<_>>().join(" ");
        has.iter().for_each(|words| assert!(text.contains(words), "{words:?} is not in {said}"));
        assert!(!text.contains(lacks), "{lacks:?} is in {said}");
    };
    check(FIELDS, &["at p.c:9 and its write at p.c:10 belong together: the write by T2 (take) at p.c:10"], "of T0 at");
    check(COUNT, &["The read of count by T", "is overwritten by what knows nothing of it"], "of head by");
    let woken =
        ["woke T1 (get), which waited again at p.c:10", "did not wake T3 (put) but T1 (get), which waited again"];
    check(SIGNAL, &woken, "wake-up is lost");
    check(TURNS, &["changes that, round after round"], "nobody is left");
    check(LAZY, &["thread T2 (use)", "kept in table, which T1 (use) overwrote at p.c:8"], "The last step of");
}
