//! Where things are said to have happened.

mod place;

use place::{Place, RACY};

/// Lines of a program that have these words, from 1.
fn lines(program: &str, words: &str) -> Vec<usize> {
    (1..).zip(program.lines()).filter(|(_, line)| line.contains(words)).map(|(number, _)| number).collect()
}

#[test]
fn a_program_that_returns_from_main_ends_at_its_last_line() {
    let place = Place::new();
    let text = "#include <pthread.h>\nstatic void *none(void *arg) { return arg; }\nint main(void) {\n    pthread_t t;\n    \
        pthread_create(&t, 0, none, 0);\n    pthread_join(t, 0);\n    return 3;\n}\n";
    place.write("three.c", text);
    for cflags in ["-O0 -g", "-O2 -g"] {
        let ran = place.gabion(&["check", "-q", "three.c", "--cflags", cflags]);
        assert_eq!(ran.status, 1, "{}{}", ran.out, ran.err);
        assert!(ran.out.starts_with("exit at three.c:8: "), "{}", ran.out);
    }
}

/// The standard library calls for the program, which is then told at the line that was written: of several with the same call,
/// however deep and however compiled.
#[test]
fn what_the_rust_library_does_for_the_program_is_told_at_the_programs_lines() {
    const PROGRAM: &str = "use std::sync::{Arc, Mutex};
use std::thread::{Builder, JoinHandle};
type Locks = Arc<(Mutex<i32>, Mutex<i32>)>;
fn other(locks: &Locks) -> JoinHandle<()> {
    let locks = locks.clone();
    Builder::new().name(\"other\".into()).spawn(move || {
        let _first = locks.0.lock();
        std::mem::forget(locks.1.lock());
    })
    .unwrap()
}
fn last(locks: &Locks, other: JoinHandle<()>) {
    let held = locks.1.lock();
    other.join().unwrap();
    drop(held);
}
#[inline(never)]
fn deep(depth: u32, locks: &Locks, other: JoinHandle<()>) {
    if depth > 0 {
        deep(depth - 1, locks, other);
    } else {
        let held = locks.1.lock();
        other.join().unwrap();
        drop(held);
    }
    std::hint::black_box(locks);
}
fn main() {
    let locks = Locks::default();
    let first = other(&locks);
    if WHICH == 0 {
        let held = locks.1.lock();
        first.join().unwrap();
        drop(held);
    } else if WHICH == 1 {
        last(&locks, first);
    } else {
        deep(20, &locks, first);
    }
}
";
    let place = Place::new();
    let [last, deep, own] = lines(PROGRAM, ".join()")[..] else { panic!("three calls") };
    let [spawn] = lines(PROGRAM, ".spawn(")[..] else { panic!("one call") };
    for cflags in ["-g", "-C opt-level=0", "-O"] {
        for (which, line) in [own, last, deep].into_iter().enumerate() {
            place.write("p.rs", format!("{PROGRAM}const WHICH: u32 = {which};\n"));
            let ran = place.gabion(&["check", "p.rs", "--cflags", cflags, "--sarif", "p.sarif", "--full"]);
            assert_eq!(ran.status, 1, "{cflags}: {}{}", ran.out, ran.err);
            let words = ran.out.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(words.contains(&format!("waits to join T1 at p.rs:{line}.")), "{cflags}: {}", ran.out);
            assert!(words.contains(&format!("1 start p.rs:{spawn} p::other")), "{cflags}: {}", ran.out);
            let sarif = std::fs::read_to_string(place.path("p.sarif")).expect("it was written");
            let strange = |text: &str| text.contains("/rust") || text.contains("function.rs");
            assert!(!strange(&ran.out) && !strange(&sarif), "{cflags}: {}{sarif}", ran.out);
        }
    }
}

#[test]
fn a_variable_that_the_compiler_numbers_has_its_own_name() {
    const INSIDE: &str = "static int *c(void) { static int counter; return &counter; }\n#define counter (*c())";
    const SECOND: &str = "int *d(void) { static int counter; return &counter; }\n";
    let place = Place::new();
    // Two of the same name keep their numbers: they are different variables.
    for (before, name) in [("", "read counter (is"), (SECOND, "read counter.")] {
        place.write("racy.c", RACY.replace("static int counter;", &format!("{before}{INSIDE}")));
        let ran = place.gabion(&["check", "racy.c"]);
        assert_eq!(ran.status, 1, "{}{}", ran.out, ran.err);
        assert!(ran.out.contains(name), "{}", ran.out);
    }
    // Whatever its number is in the next build, it is the same.
    place.write("racy.c", RACY.replace("static int counter;", INSIDE));
    assert_eq!(place.gabion(&["check", "-q", "racy.c"]).status, 1);
    let another = SECOND.replace("counter", "another");
    place.write("racy.c", RACY.replace("static int counter;", &format!("{another}{INSIDE}")));
    let again = place.gabion(&["replay", "racy.trace"]);
    assert!(again.out.contains("The bug shows again, in a changed program"), "{}{}", again.out, again.err);
}

/// What the C++ library says is only that it ends the program.
#[test]
fn why_the_cxx_library_gives_up() {
    const OWNER: &str = "#include <mutex>
#include <stdexcept>
#include <thread>
static std::mutex m;
static int quota = 1;
static void take() {
    std::lock_guard<std::mutex> g(m);
    if (quota == 0)
        throw std::runtime_error(\"quota\");
    quota--;
}
static void other() {
    std::lock_guard<std::mutex> g(m);
    if (quota)
        quota--;
}
int main() {
    try {
        std::thread t(other);
        take();
        t.join();
    } catch (const std::exception &) {
    }
}
";
    const FUTURE: &str = "#include <future>
#include <mutex>
#include <stdexcept>
static std::mutex m;
static bool loaded;
static void load() {
    std::lock_guard<std::mutex> g(m);
    loaded = true;
}
static int quote() {
    std::lock_guard<std::mutex> g(m);
    if (!loaded)
        throw std::runtime_error(\"not yet\");
    return 3;
}
int main() {
    auto l = std::async(std::launch::async, load);
    auto q = std::async(std::launch::async, quote);
    l.wait();
    return q.get() == 3 ? 0 : 1;
}
";
    let (throws, gets) = (lines(FUTURE, "throw ")[0], lines(FUTURE, "q.get()")[0]);
    let place = Place::new();
    let told = |program: &str, cflags: &str, words: &str| {
        let ran = place.write("p.cpp", program).gabion(&["check", "p.cpp", "--cflags", cflags]);
        assert_eq!(ran.status, 1, "{}{}", ran.out, ran.err);
        let said = ran.out.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(said.contains(words), "{cflags}: {words:?}: {}", ran.out);
    };
    for cflags in ["-O0 -g", "-O2 -g"] {
        told(OWNER, cflags, "A std::thread is destroyed by T0 (main) at p.cpp:");
        told(OWNER, cflags, "whose thread was neither joined nor detached");
        let thrown = format!("thrown by T2 (quote) at p.cpp:{throws}, and thrown again by T0 (main) at p.cpp:{gets}.");
        told(FUTURE, cflags, &thrown);
    }
    // Who gives up by itself has destroyed nothing, and an exception that was thrown once has one place.
    let gives_up = OWNER.replace("std::thread t(other);", "std::thread t(other); t.detach(); std::terminate();");
    place.write("p.cpp", gives_up);
    assert!(!place.gabion(&["check", "p.cpp"]).out.contains("A std::thread is"));
    let once = OWNER.replace("catch (const std::exception &)", "catch (const std::logic_error &)");
    place.write("p.cpp", once.replace("std::thread t(other);", "std::thread t(other); t.join();"));
    assert!(!place.gabion(&["check", "p.cpp"]).out.contains("thrown again"));
}
