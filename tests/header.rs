//! `gabion.h` without gabion: the programs of `programs/header` compile, link and run plainly, and the same object links with
//! gabion and without.

#![forbid(unsafe_code)]

use gabion_tests::run::{LIMIT, call, gabion};
use gabion_tests::{programs, workspace};
use std::path::{Path, PathBuf};
use std::process::Command;

fn sources() -> Vec<PathBuf> {
    programs().into_iter().filter(|path| path.parent().is_some_and(|d| d.ends_with("header"))).collect()
}

fn compile(compiler: &str, args: &[&str], directory: &Path) {
    let mut words = compiler.split(' ');
    let status = Command::new(words.next().expect("a compiler"))
        .args(words)
        .args(["-Wall", "-Wextra", "-Werror", "-pthread"])
        .args(args)
        .current_dir(directory)
        .status()
        .expect("the compiler starts");
    assert!(status.success(), "{compiler} {args:?}");
}

fn include() -> String {
    format!("-I{}", workspace().join("crates/native/include").display())
}

/// Everything does nothing: no choice is other than 0, no check at the end is made, and no program fails.
#[test]
fn plain_programs_run() {
    assert!(sources().len() >= 12, "the programs were not found");
    for source in sources() {
        let cpp = source.extension().is_some_and(|e| e == "cpp");
        let compilers: &[&str] =
            if cpp { &["g++", "clang++ -O2"] } else { &["gcc", "gcc -std=c99 -O2 -pedantic -D_GNU_SOURCE", "clang"] };
        // C99 has no atomics of its own: what uses them is left to the others.
        let atomics = std::fs::read_to_string(&source).expect("a source").contains("stdatomic");
        for compiler in compilers.iter().filter(|c| !(atomics && c.contains("c99"))) {
            let directory = tempfile::tempdir().expect("a directory");
            compile(compiler, &[&include(), &source.display().to_string(), "-o", "program"], directory.path());
            let status = Command::new(directory.path().join("program")).status().expect("it starts");
            assert!(status.success(), "{} with {compiler}: {status}", source.display());
        }
    }
}

/// One object, linked plainly and by `gabion cc`. Compiled plainly it is not instrumented, but it speaks to gabion.
#[test]
fn one_object_serves_both() {
    let directory = tempfile::tempdir().expect("a directory");
    let source = workspace().join("programs/header/choose_last.c").display().to_string();
    compile("gcc", &[&include(), "-c", &source, "-o", "one.o"], directory.path());
    compile("gcc", &["one.o", "-o", "plain"], directory.path());
    assert!(Command::new(directory.path().join("plain")).status().expect("it starts").success());
    compile(&format!("{} cc", gabion().display()), &["one.o", "-o", "checked"], directory.path());
    assert!(Command::new(directory.path().join("checked")).status().expect("it starts").success());
    let args = ["check", "--json", "-", "./checked"].map(String::from);
    let json = call(directory.path(), &args, LIMIT).and_then(|output| output.json()).expect("a report");
    assert_eq!((&json["verdict"], &json["bugs"][0]["kind"]), (&"bug".into(), &"exit".into()), "{json}");
}

/// The wrappers find the header, and the user's own of the same name before it.
#[test]
fn the_header_is_found_last() {
    let directory = tempfile::tempdir().expect("a directory");
    let compiler = format!("{} cc", gabion().display());
    std::fs::write(directory.path().join("a.c"), "#include <gabion.h>\nint main(void) { return gabion_choose(1); }\n")
        .expect("a file");
    compile(&compiler, &["a.c", "-o", "a"], directory.path());
    std::fs::create_dir(directory.path().join("own")).expect("a directory");
    std::fs::write(directory.path().join("own/gabion.h"), "#define gabion_choose(n) (n - 1)\n").expect("a file");
    compile(&compiler, &["-Iown", "a.c", "-o", "b"], directory.path());
    let symbols = |name: &str| std::fs::read(directory.path().join(name)).expect("a program");
    let asks = |program: Vec<u8>| program.windows(15).any(|w| w == b"__gabion_choose");
    assert!(asks(symbols("a")) && !asks(symbols("b")));
}
