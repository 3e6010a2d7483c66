//! `cargo gabion` with crates of all sorts: what it says, its status, and that what cannot be checked does not stop the others.

mod package;

use package::{check, member, package, run, run_with};

#[test]
fn what_does_not_build() {
    let directory = tempfile::tempdir().expect("a directory");
    package(directory.path(), "src/lib.rs", "pub fn number() -> u32 { \"none\" }\n");
    let all = ["test", "--junit", "all.xml"];
    check(&run(directory.path(), &all), 2, &["mismatched types", "gabion: cargo could not build it"]);
    let written = std::fs::read_to_string(directory.path().join("all.xml")).expect("JUnit's file is written");
    assert!(written.contains("errors=\"1\"") && written.contains("cargo could not build it"), "{written}");
}

#[test]
fn no_tests_here() {
    let directory = tempfile::tempdir().expect("a directory");
    package(directory.path(), "src/lib.rs", "pub fn number() -> u32 {\n    1\n}\n");
    check(&run(directory.path(), &["test"]), 2, &["gabion: there are no tests here\n"]);
}

#[test]
fn no_crate_here() {
    let directory = tempfile::tempdir().expect("a directory");
    check(&run(directory.path(), &["test"]), 2, &["could not find `Cargo.toml`", "gabion: cargo finds no crate here"]);
}

#[test]
fn without_the_standard_library() {
    let directory = tempfile::tempdir().expect("a directory");
    let source = "#![no_std]\n#![no_main]\n\
                  #[panic_handler]\nfn panic(_: &core::panic::PanicInfo<'_>) -> ! {\n    loop {}\n}\n";
    member(directory.path(), "tried", "[workspace]", &[("src/main.rs", source), ("src/lib.rs", TRIVIAL)]);
    let said = ["gabion: cargo could not build it", "panic_impl"];
    check(&run(directory.path(), &["check", "--bin", "tried"]), 2, &said[..1]);
    // The tests of the library are checked all the same.
    let said = ["gabion: cargo could not build ", said[1], "test joins ... verified"];
    check(&run(directory.path(), &["test"]), 2, &said);
}

/// Cargo has crates compiled to bitcode where a profile asks for optimisation at link time, which is turned off here.
#[test]
fn profiles_with_optimisation_at_link_time() {
    let directory = tempfile::tempdir().expect("a directory");
    let library = "pub fn three() {\n    static M: std::sync::Mutex<u8> = std::sync::Mutex::new(0);\n    \
                   std::thread::scope(|s| (0..2).for_each(|_| drop(s.spawn(|| *M.lock().unwrap() += 1))));\n}\n";
    let test = "#[test]\nfn joins() {\n    tried::three();\n}\n";
    for lto in ["true", "\"fat\"", "\"thin\"", "\"off\""] {
        let more = format!("[profile.dev]\nlto = {lto}\n[profile.release]\nlto = {lto}\n[workspace]");
        member(directory.path(), "tried", &more, &[("src/lib.rs", library), ("tests/outside.rs", test)]);
        check(&run(directory.path(), &["test"]), 0, &["test outside::joins ... verified"]);
    }
    check(&run(directory.path(), &["test", "--release"]), 0, &["test outside::joins ... verified"]);
}

const LOSES: &str = "use std::sync::atomic::{AtomicU32, Ordering};

static COUNT: AtomicU32 = AtomicU32::new(0);

fn add() {
    COUNT.store(COUNT.load(Ordering::SeqCst) + 1, Ordering::SeqCst);
}

fn main() {
    let other = std::thread::spawn(add);
    add();
    other.join().unwrap();
    assert_eq!(COUNT.load(Ordering::SeqCst), 2);
}
";

/// What a build takes is not taken from the tests.
#[test]
fn a_budget_is_for_the_tests() {
    let directory = tempfile::tempdir().expect("a directory");
    let slow = "fn main() {\n    std::thread::sleep(std::time::Duration::from_secs(11));\n}\n";
    let test = "#[test]\nfn three() {\n    use std::sync::Mutex;\n    static M: Mutex<u8> = Mutex::new(0);\n    \
                std::thread::scope(|s| (0..3).for_each(|_| drop(s.spawn(|| *M.lock().unwrap() += 1))));\n}\n";
    member(directory.path(), "tried", "[workspace]", &[("build.rs", slow), ("src/lib.rs", test)]);
    check(&run(directory.path(), &["test", "--budget", "10s"]), 0, &["test three ... verified"]);
    let both = ["test", "--budget", "10s", "--budget-per-test", "1s"];
    check(&run(directory.path(), &both), 2, &["--budget-per-test", "cannot be used with"]);
}

#[test]
fn an_example() {
    let directory = tempfile::tempdir().expect("a directory");
    member(directory.path(), "tried", "[workspace]", &[("src/lib.rs", TRIVIAL), ("examples/loses.rs", LOSES)]);
    let said = ["panic: panicked: assertion `left == right` failed", "examples/loses.rs:13"];
    check(&run(directory.path(), &["check", "--example", "loses"]), 1, &said);
    check(&run(directory.path(), &["check", "--example", "none"]), 2, &["none"]);
}

/// A crate for another machine is not silently built for this one.
#[test]
fn another_target() {
    let directory = tempfile::tempdir().expect("a directory");
    package(directory.path(), "src/lib.rs", TRIVIAL);
    let configure = |target: &str| {
        std::fs::create_dir_all(directory.path().join(".cargo")).expect("a directory");
        let text = format!("[build]\ntarget = {target}\n");
        std::fs::write(directory.path().join(".cargo/config.toml"), text).expect("a file");
    };
    configure("\"thumbv7m-none-eabi\"");
    let refused = "gabion: the crate is built for thumbv7m-none-eabi (build.target in cargo's configuration), and gabion checks what \
                   is built for x86_64-unknown-linux-gnu; --target x86_64-unknown-linux-gnu builds it so\n";
    check(&run(directory.path(), &["test"]), 2, &[refused]);
    check(&run(directory.path(), &["check", "--bin", "tried"]), 2, &[refused]);
    let asked = ["test", "--target", "x86_64-unknown-linux-gnu"];
    check(&run(directory.path(), &asked), 0, &["test joins ... verified"]);
    configure("[\"thumbv7m-none-eabi\", \"x86_64-unknown-linux-gnu\"]");
    let said = ["gabion: left out: what is built for thumbv7m-none-eabi", "test joins ... verified"];
    check(&run(directory.path(), &["test"]), 0, &said);
    let other = ["test", "--target", "wasm32-unknown-unknown"];
    check(&run(directory.path(), &other), 2, &["gabion: the crate is built for wasm32-unknown-unknown (--target)"]);
}

/// Documentation tests are left out, and that is said where there are any.
#[test]
fn documentation_tests() {
    let directory = tempfile::tempdir().expect("a directory");
    let documented = format!(
        "/// Gives one.\n///\n/// ```\n/// assert_eq!(tried::one(), 1);\n/// ```\npub fn one() -> u32 {{\n    1\n}}\n{TRIVIAL}"
    );
    package(directory.path(), "src/lib.rs", &documented);
    let said = "gabion: left out: documentation tests of tried (`cargo test --doc` runs them)\n";
    check(&run(directory.path(), &["test"]), 0, &[said, "test joins ... verified"]);
    let silent = |args: &[&str]| {
        let output = run(directory.path(), args);
        check(&output, 0, &["test joins ... verified"]);
        assert!(!String::from_utf8_lossy(&output.stderr).contains("documentation"));
    };
    silent(&["test", "--lib"]);
    package(directory.path(), "src/lib.rs", &documented.replace("```\n/// assert", "```text\n/// assert"));
    silent(&["test"]);
}

const MANY: &str = "
use std::net::{TcpListener, TcpStream};
use std::process::Command;
use std::sync::Mutex;
use std::thread;

#[test]
fn a_process() {
    let other = thread::spawn(|| Command::new(\"true\").status().is_ok());
    assert!(other.join().unwrap());
}

#[test]
fn a_socket() {
    let listener = TcpListener::bind(\"127.0.0.1:0\").unwrap();
    let address = listener.local_addr().unwrap();
    let other = thread::spawn(move || TcpStream::connect(address).is_ok());
    listener.accept().unwrap();
    assert!(other.join().unwrap());
}

#[test]
fn fine() {
    let count = Mutex::new(0);
    thread::scope(|scope| {
        scope.spawn(|| *count.lock().unwrap() += 1);
        *count.lock().unwrap() += 1;
    });
    assert_eq!(*count.lock().unwrap(), 2);
}

#[test]
fn wrong() {
    let count = Mutex::new(0);
    thread::scope(|scope| {
        scope.spawn(|| *count.lock().unwrap() += 1);
        assert_eq!(*count.lock().unwrap(), 0);
    });
}

unsafe extern \"C\" {
    fn eventfd(initial: u32, flags: i32) -> i32;
}

#[test]
fn an_event() {
    let other = thread::spawn(|| unsafe { eventfd(0, 0) });
    assert!(other.join().unwrap() >= 0);
}
";

/// Tests whose names differ in `::` alone have files of their own.
#[test]
fn a_page_for_each_test() {
    let directory = tempfile::tempdir().expect("a directory");
    let source = format!("{TRIVIAL}mod deep {{\n{TRIVIAL}}}\n{}", TRIVIAL.replace("joins", "deep__joins"));
    package(directory.path(), "src/lib.rs", &source);
    check(&run(directory.path(), &["test", "--html", "some/pages"]), 0, &["3 tests: 3 verified"]);
    for (file, test) in [("joins", "joins"), ("deep.joins", "deep::joins"), ("deep__joins", "deep__joins")] {
        let page = std::fs::read_to_string(directory.path().join(format!("some/pages/{file}.html"))).expect("a page");
        let begins = page.starts_with("<!doctype html>") || page.starts_with("<!DOCTYPE html>");
        let heading = format!("<h1><span class=\"good\">verified</span> {test}</h1>");
        assert!(begins && page.contains(&heading), "{}", &page[..page.len().min(100)]);
    }
}

/// The harness frees hundreds of blocks after a test, which are no steps of it.
#[test]
fn steps_are_those_of_the_test() {
    let directory = tempfile::tempdir().expect("a directory");
    package(directory.path(), "src/lib.rs", MANY);
    let output = run(directory.path(), &["test", "wrong"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    let shown = text.split("The interleaving: ").nth(1).and_then(|rest| rest.split(' ').next()?.parse::<u32>().ok());
    assert!(shown.is_some_and(|steps| steps < 60), "{text}");
}

#[test]
fn tests_that_cannot_be_checked() {
    let directory = tempfile::tempdir().expect("a directory");
    package(directory.path(), "src/lib.rs", MANY);
    let all = ["test"];
    let said = [
        "test a_process ... error: not supported: posix_spawnp, called at src/lib.rs:9",
        "test a_socket ... error: not supported: accept, called at src/lib.rs:18",
        "test an_event ... error: not supported: eventfd, called at src/lib.rs:47",
        "test fine ... verified",
        "test wrong ... BUG",
        "5 tests: 1 verified, 1 with a bug, 3 that could not be checked",
    ];
    check(&run(directory.path(), &all), 1, &said);
    let without = ["test", "--", "--skip", "wrong"];
    check(&run(directory.path(), &without), 2, &["test fine ... verified", "3 that could not be checked"]);
    check(&run(directory.path(), &["test", "nowhere"]), 2, &["gabion: no test matches nowhere", "-- --list"]);
    check(&run(directory.path(), &["test", "--test", "nowhere"]), 2, &["no test target named `nowhere`"]);
    check(&run(directory.path(), &["test", "--", "--list"]), 0, &["a_process: test", "wrong: test"]);
}

const TRIVIAL: &str = "#[test]\nfn joins() {\n    std::thread::spawn(|| ()).join().unwrap();\n}\n";

/// One that does not build, a procedural macro and one whose program has a harness of its own: the tests of the rest are run.
#[test]
fn members_of_a_workspace() {
    let directory = tempfile::tempdir().expect("a directory");
    let at = |name: &str| directory.path().join(name);
    let workspace = "[workspace]\nresolver = \"3\"\nmembers = [\"broken\", \"fine\", \"seven\"]\n";
    std::fs::write(at("Cargo.toml"), workspace).expect("a new file");
    let own = "[[test]]\nname = \"own\"\nharness = false";
    let main = "fn main() {\n    println!(\"works\");\n}\n";
    let seven = "[lib]\nproc-macro = true";
    let expands = "#[proc_macro]\npub fn seven(_: proc_macro::TokenStream) -> proc_macro::TokenStream {\n    \"7\".parse().unwrap()\n}\n\
                   #[test]\nfn nothing() {}\n";
    member(&at("broken"), "broken", "", &[("src/lib.rs", "pub fn number() -> u32 {\n    \"none\"\n}\n")]);
    member(&at("fine"), "fine", own, &[("src/lib.rs", TRIVIAL), ("tests/own.rs", main)]);
    member(&at("seven"), "seven", seven, &[("src/lib.rs", expands)]);
    let said = [
        "mismatched types",
        "gabion: cargo could not build broken/src/lib.rs; its messages are above",
        "gabion: left out: unit tests of procedural macros (seven)",
        "gabion: left out: own, which has a harness of its own (`cargo gabion check --test own`)",
        "test fine::joins ... verified",
        "1 test: 1 verified, in ",
        "; cargo could not build broken/src/lib.rs\n",
    ];
    check(&run(directory.path(), &["test", "--workspace", "--junit", "all.xml"]), 2, &said);
    let written = std::fs::read_to_string(at("all.xml")).expect("JUnit's file is written");
    let told = written.contains("could not build broken/src/lib.rs") && written.contains("fine::joins");
    assert!(told && written.contains("errors=\"1\""), "{written}");
    let without = run(directory.path(), &["test", "--workspace", "--exclude", "broken"]);
    check(&without, 0, &["test fine::joins ... verified", "1 test: 1 verified"]);
    check(&run(directory.path(), &["check", "-p", "fine", "--test", "own"]), 0, &["verified: "]);
}

/// What is shown as a test's name can be asked for, with the program in front and without.
#[test]
fn tests_by_the_names_that_are_shown() {
    let directory = tempfile::tempdir().expect("a directory");
    let unit = format!("mod tests {{\n{TRIVIAL}{}}}\n", TRIVIAL.replace("joins", "joins_too"));
    member(directory.path(), "tried", "[workspace]", &[("src/lib.rs", &unit), ("tests/whole.rs", TRIVIAL)]);
    let test = |args: &[&str], said: &[&str]| check(&run(directory.path(), &[&["test"], args].concat()), 0, said);
    let (one, two) = ("test tried::tests::joins ... verified", "test tried::tests::joins_too ... verified");
    test(&["--", "--list"], &["tried::tests::joins: test", "tried::tests::joins_too: test", "whole::joins: test"]);
    test(&["tried::tests::joins"], &[one, two, "2 tests: 2 verified"]);
    test(&["tried::tests::joins", "--", "--exact"], &[one, "1 test: 1 verified"]);
    test(&["tests::joins", "--", "--exact"], &[one, "1 test: 1 verified"]);
    test(&["--lib", "tried::tests::joins", "--", "--exact"], &["test tests::joins ... verified", "1 test: 1 verified"]);
    test(&["whole", "--", "joins_too"], &[two, "test whole::joins ... verified", "2 tests: 2 verified"]);
    test(&["joins", "--", "--skip", "tried::"], &["test whole::joins ... verified", "1 test: 1 verified"]);
    let output = run(directory.path(), &["test", "tried::joins"]);
    check(&output, 2, &["gabion: no test matches tried::joins; "]);
}

const ENVIRONMENT: &str = "
fn main() {
    found();
}

#[cfg_attr(test, test)]
fn found() {
    let asked = |name: &str| std::env::var(name).unwrap_or_default();
    assert_eq!(asked(\"NEAR\"), \"near\");
    assert_eq!(asked(\"FAR\"), \"far\");
    assert_eq!(asked(\"HOME_ALONE\"), \"home\");
    assert_eq!(asked(\"KEPT\"), \"outside\");
    assert_eq!(asked(\"FORCED\"), \"far\");
    assert!(std::path::Path::new(&asked(\"RELATIVE\")).ends_with(\"above/some/data\"), \"{}\", asked(\"RELATIVE\"));
    assert!(std::path::Path::new(&asked(\"RELATIVE\")).is_dir());
    assert_eq!(asked(\"CARGO_PKG_NAME\"), \"tried\");
    assert_eq!(asked(\"OPTION\"), \"given\");
}
";

/// Programs find what cargo's configuration sets for them, and integration tests what cargo compiles into them.
#[test]
fn the_environment_that_cargo_gives() {
    let directory = tempfile::tempdir().expect("a directory");
    let above = directory.path().join("above");
    let far = "[env]\nNEAR = \"far\"\nFAR = \"far\"\nKEPT = { value = \"far\" }\nFORCED = { value = \"far\", force = true }\n\
               RELATIVE = { value = \"some/data\", relative = true }\nCARGO_PKG_NAME = \"far\"\nOPTION = \"far\"\n";
    let home = "[env]\nFAR = \"home\"\nHOME_ALONE = \"home\"\n";
    let whole = "#[test]\nfn compiled_in() {\n    assert!(std::path::Path::new(env!(\"CARGO_BIN_EXE_tried\")).is_file());\n    \
                 assert!(std::path::Path::new(env!(\"CARGO_TARGET_TMPDIR\")).is_dir());\n}\n";
    let files = [
        ("src/main.rs", ENVIRONMENT),
        ("tests/whole.rs", whole),
        (".cargo/config.toml", "[env]\nNEAR = \"near\"\n"),
        ("../.cargo/config.toml", far),
        ("../some/data/file", ""),
        ("../../home/config.toml", home),
    ];
    member(&above.join("crate"), "tried", "[workspace]", &files);
    let home = directory.path().join("home");
    let outside = [("KEPT", "outside"), ("FORCED", "outside"), ("CARGO_HOME", home.to_str().expect("a plain name"))];
    let run = |args: &[&str]| run_with(&above.join("crate"), args, &outside);
    let said = ["test tried::found ... verified", "test whole::compiled_in ... verified"];
    check(&run(&["test", "--env", "OPTION=given"]), 0, &said);
    check(&run(&["check", "--bin", "tried", "--env", "OPTION=given"]), 0, &["verified: "]);
    check(&run(&["check", "--bin", "tried"]), 1, &["left: \"far\"", "right: \"given\""]);
}

const IGNORED: &str = "
#[test]
fn always() {}

#[test]
#[ignore]
fn sometimes() {}
";

#[test]
fn ignored_tests() {
    let directory = tempfile::tempdir().expect("a directory");
    package(directory.path(), "src/lib.rs", IGNORED);
    let test = |args: &[&str], said: &[&str]| check(&run(directory.path(), args), 0, said);
    test(&["test"], &["test always ... verified", "test sometimes ... ignored", "2 tests: 1 verified, 1 ignored"]);
    test(&["test", "--", "--ignored"], &["test sometimes ... verified", "1 test: 1 verified, in"]);
    test(&["test", "--", "--include-ignored"], &["test sometimes ... verified", "2 tests: 2 verified, in"]);
    test(&["test", "sometimes"], &["test sometimes ... ignored", "1 test: 1 ignored"]);
    test(&["test", "--", "--list"], &["always: test", "sometimes: test"]);
    check(&run(directory.path(), &["test", "--", "--nonsense"]), 2, &["does not list its tests: error: Unrecognized"]);
}

const PROVISOS: &str = "
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::thread;

static mut PLAIN: u32 = 0;

#[test]
fn big() {
    let count = Arc::new(AtomicU32::new(0));
    let add = |count: Arc<AtomicU32>| move || (0..6).for_each(|_| assert!(count.fetch_add(1, SeqCst) < 24));
    let threads: Vec<_> = (0..4).map(|_| thread::spawn(add(count.clone()))).collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
}

#[test]
fn circle() {
    let (a, b) = (Mutex::new(()), Mutex::new(()));
    thread::scope(|scope| {
        scope.spawn(|| {
            let _a = a.lock().unwrap();
            let _b = b.lock().unwrap();
        });
        scope.spawn(|| {
            let _b = b.lock().unwrap();
            let _a = a.lock().unwrap();
        });
    });
}

#[test]
fn computes() {
    let endless = || {
        let mut x = 1u64;
        while x != 0 {
            x = x.wrapping_mul(3); // nothing that a hook could see
        }
    };
    thread::spawn(endless).join().unwrap();
}

#[test]
fn race() {
    let other = thread::spawn(|| unsafe { PLAIN = 1 });
    unsafe { PLAIN = 2 };
    other.join().unwrap();
    assert!(unsafe { PLAIN } > 0);
}
";

/// What must be known with a verdict is in its line.
#[test]
fn one_line_says_the_essential() {
    let directory = tempfile::tempdir().expect("a directory");
    package(directory.path(), "src/lib.rs", PROVISOS);
    let junit = |args: &[&str], said: &[&str]| {
        let output = run(directory.path(), &[&["test", "--junit", "all.xml"], args].concat());
        check(&output, 3, said);
        std::fs::read_to_string(directory.path().join("all.xml")).expect("JUnit's file is written")
    };
    let said = [
        "test big ... partial, ",
        " % of the estimated runs made",
        "test race ... verified, ",
        "; 1 data race told (-v)",
    ];
    let written = junit(&["--budget-runs", "1000", "--", "--skip", "circle", "--skip", "computes"], &said);
    assert!(written.contains("; 1 data race told") && !written.contains("-v)"), "{written}");
    // A run that does not end is given up when the time of its test is over: the watchdog is not waited for.
    let said = ["test computes ... partial, ", ": no run has come to its end"];
    let written = junit(&["computes", "--budget-per-test", "2s", "--watchdog", "24h"], &said);
    assert!(written.contains("no run has come to its end"), "{written}");
    let bounded = run(directory.path(), &["test", "race", "--bound", "0"]);
    check(&bounded, 0, &["test race ... complete, ", ": a bound ("]);
}

/// The main thread of the harness waits as well.
#[test]
fn a_deadlock_is_where_the_test_waits() {
    let directory = tempfile::tempdir().expect("a directory");
    package(directory.path(), "src/lib.rs", PROVISOS);
    let output = run(directory.path(), &["test", "circle", "-q"]);
    check(&output, 1, &["deadlock at src/lib.rs:"]);
    let output = run(directory.path(), &["test", "circle", "--json", "all.json"]);
    check(&output, 1, &["waits at the end of the scope for "]);
    let written = std::fs::read_to_string(directory.path().join("all.json")).expect("the object is written");
    assert!(written.contains("\"location\":\"src/lib.rs:2"), "{written}");
}
