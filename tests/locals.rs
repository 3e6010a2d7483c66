//! Local variables that threads share have their names: each program in `locals/` has in its header the ways in which it is checked
//! (`options:`), the objects of its conflicting accesses, all that there are but for the heap (`object:`; what ends with `-` has a number behind
//! it), what steps do (`does:`), and words of the explanation (`says:`).

#![forbid(unsafe_code)]

use gabion_tests::run::{LIMIT, call};
use gabion_tests::workspace;
use gabion_trace::TraceFile;
use std::path::Path;

fn marked<'a>(text: &'a str, mark: &'a str) -> Vec<&'a str> {
    let header = text.lines().map_while(|line| line.strip_prefix("// "));
    header.filter_map(move |line| line.strip_prefix(mark)).map(str::trim).collect()
}

/// Each object once, as they come, without what is on the heap.
fn objects(file: &TraceFile) -> Vec<&str> {
    let mut all: Vec<&str> = Vec::new();
    for access in file.steps.iter().flat_map(|step| &step.accesses) {
        if !access.object.starts_with("heap") && !all.contains(&access.object.as_str()) {
            all.push(&access.object);
        }
    }
    all
}

fn check(program: &Path, options: &str) {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let name = program.file_name().expect("a program has a name").to_string_lossy().into_owned();
    let text = std::fs::read_to_string(program).expect("it can be read");
    std::fs::write(directory.path().join(&name), &text).expect("it is copied");
    let args = ["check", &name, "--trace", "found.trace"].into_iter().chain(options.split_whitespace());
    let output = call(directory.path(), &args.map(str::to_string).collect::<Vec<_>>(), LIMIT).expect("gabion ends");
    assert_eq!(output.code(), Ok(1), "{name} {options}\n{}", output.tail());
    let bytes = std::fs::read(directory.path().join("found.trace")).expect("there is a trace");
    let file = TraceFile::from_bytes(&bytes).expect("the trace can be read");

    let wanted = marked(&text, "object:");
    let found = objects(&file);
    let is = |(found, wanted): (&&str, &&str)| found == wanted || wanted.ends_with('-') && found.starts_with(*wanted);
    let all = found.len() == wanted.len() && found.iter().zip(&wanted).all(is);
    assert!(all, "{name} {options}: {found:?} instead of {wanted:?}");
    for words in marked(&text, "does:") {
        let does =
            file.steps.iter().any(|step| step.what.split("; ").any(|what| what.split(" (").next() == Some(words)));
        assert!(does, "{name} {options}: nobody does {words:?}");
    }
    let said = file.explanation.join(" ");
    for words in marked(&text, "says:") {
        assert!(said.contains(words), "{name} {options}: {words:?} is not in {said:?}");
    }
}

#[test]
fn shared_locals_have_their_names() {
    let all = std::fs::read_dir(workspace().join("tests/locals")).expect("the programs are there");
    let mut all: Vec<_> = all.map(|file| file.expect("it can be read").path()).collect();
    all.sort();
    assert!(!all.is_empty());
    for program in all {
        let text = std::fs::read_to_string(&program).expect("it can be read");
        marked(&text, "options:").into_iter().for_each(|options| check(&program, options));
    }
}

/// A trace file says in words what its steps did; one of an older gabion has no names of local variables.
#[test]
fn a_trace_without_their_names_still_fits_a_changed_program() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let at = directory.path();
    let run = |args: &[&str]| {
        let args: Vec<String> = args.iter().map(|arg| (*arg).to_string()).collect();
        call(at, &args, LIMIT).expect("gabion ends")
    };
    let text = std::fs::read_to_string(workspace().join("tests/locals/argument.c")).expect("it can be read");
    std::fs::write(at.join("argument.c"), &text).expect("it is copied");
    assert_eq!(run(&["check", "argument.c", "--trace", "new.trace"]).code(), Ok(1));

    let bytes = std::fs::read(at.join("new.trace")).expect("there is a trace");
    let mut file = TraceFile::from_bytes(&bytes).expect("the trace can be read");
    for step in &mut file.steps {
        step.what = step.what.replace("counter in main", "stack of T0-0x6c");
    }
    std::fs::write(at.join("old.trace"), file.to_bytes()).expect("a file");
    std::fs::write(at.join("argument.c"), text.replace("int main", "int unused;\nint main")).expect("a file");
    for trace in ["new.trace", "old.trace"] {
        let replayed = run(&["replay", trace]);
        let words = "The bug shows again, in a changed program: assertion";
        assert!(replayed.stdout.contains(words), "{trace}: {}", replayed.tail());
    }
}
