//! The assembler that drivers find: marks and mends what the compiler wrote, then runs the real one.
//!
//! Only text that carries the instrumentation (it refers to `__tsan_init`) is changed: hand-written assembly goes
//! through as it is, unstamped. Changed text keeps its line numbers and is given through standard input, so no
//! temporary name gets into the object.

use std::collections::{HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;
use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use gabion_trace::{Caveat, CaveatKind};

use super::announcements::{join, joined_lines};
use super::assembly::Syntax;
use super::exempt::read_only_symbols;
use super::graph::Tables;
use super::inline::Inline;
use super::location::{Location, Owner};
use super::split::splits;
use super::stamp::{Record, STAMP};
use super::unannounced::{self, judge};
use super::{BuildError, exit_code, run, tools};

/// Every unit that the compiler instrumented calls this first.
const INSTRUMENTED: &[u8] = b"__tsan_init";

/// Options of `as` whose value is the next argument.
const WITH_VALUE: [&str; 5] = ["-o", "-I", "--defsym", "--MD", "--debug-prefix-map"];

/// Does the work of `as`; `args` start with the name it was called by.
pub fn run_as(args: &[OsString]) -> Result<i32, BuildError> {
    let (name, args) = args.split_first().expect("a program is called by some name");
    let real = tools::real(name)?;
    let inputs = inputs(args);
    let (text, kept) = match inputs.as_slice() {
        [] => (standard_input()?, args.to_vec()),
        [one] => {
            let path = Path::new(&args[*one]);
            let text = if path == Path::new("-") {
                standard_input()?
            } else {
                fs::read(path).map_err(BuildError::io("cannot read", path))?
            };
            (text, args.iter().enumerate().filter(|(at, _)| at != one).map(|(_, arg)| arg.clone()).collect())
        }
        _ => return pass_on(&real, args, None),
    };
    if text.windows(INSTRUMENTED.len()).any(|window| window == INSTRUMENTED) {
        feed(&real, &kept, &narrow(&rewrite(&widen(&text))))
    } else {
        pass_on(&real, args, inputs.is_empty().then_some(text.as_slice()))
    }
}

/// Each byte as the character of that number. Assembly is not always UTF-8: clang comments `.byte` with the byte itself.
fn widen(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| char::from(*byte)).collect()
}

/// The way back.
fn narrow(text: &str) -> Vec<u8> {
    text.chars().map(|c| u8::try_from(c).expect("internal error: not widened")).collect()
}

/// Positions of the input files among the arguments.
fn inputs(args: &[OsString]) -> Vec<usize> {
    let mut found = Vec::new();
    let mut skip = false;
    for (at, arg) in args.iter().enumerate() {
        let option = arg.as_encoded_bytes().starts_with(b"-") && arg != "-";
        if !skip && !option {
            found.push(at);
        }
        skip = !skip && WITH_VALUE.iter().any(|known| OsStr::new(known) == arg);
    }
    found
}

fn standard_input() -> Result<Vec<u8>, BuildError> {
    let mut text = Vec::new();
    io::stdin().read_to_end(&mut text).map_err(BuildError::io("cannot read", Path::new("standard input")))?;
    Ok(text)
}

fn pass_on(real: &PathBuf, args: &[OsString], consumed: Option<&[u8]>) -> Result<i32, BuildError> {
    match consumed {
        Some(text) => feed(real, args, text),
        None => {
            let mut command = Command::new(real);
            command.args(args);
            run(command)
        }
    }
}

fn feed(real: &PathBuf, args: &[OsString], text: &[u8]) -> Result<i32, BuildError> {
    let failed = || BuildError::io("cannot run", real);
    let mut child = Command::new(real).args(args).stdin(Stdio::piped()).spawn().map_err(failed())?;
    // A real assembler that gives up early says why itself; its exit status is what counts.
    let _ = child.stdin.take().expect("standard input is piped").write_all(text);
    Ok(exit_code(child.wait().map_err(failed())?))
}

/// The text with announcements joined, updates split and the stamp appended.
fn rewrite(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let mut record = Record { unit: unit(&lines), ..Record::default() };
    let mut changes = HashMap::new();
    let read_only = read_only_symbols(&lines);
    // The compiler's own choice stands above the first inline assembly, which may switch for itself.
    let mut own = lines.iter().map(|line| line.trim()).take_while(|line| *line != "#APP");
    let syntax = if own.any(|line| line.starts_with(".intel_syntax")) { Syntax::Intel } else { Syntax::Att };
    let functions: Vec<_> = functions(&lines);
    let tables = Tables::of(&lines);
    let mut notes = Vec::new();
    for function in &functions {
        let (start, text, name) = (function.start, &lines[function.start..function.end], function.name);
        changes.extend(joined_lines(text, syntax).into_iter().map(|at| (start + at, join(text[at]))));
        for split in splits(text, syntax) {
            match split.text {
                Some(changed) => drop(changes.insert(start + split.line, changed)),
                None => notes.push((start + split.line, name, None)),
            }
        }
        let judged =
            judge(&unannounced::Function { name, lines: text, syntax, read_only: &read_only, tables: &tables });
        if judged.instrumented {
            notes.extend(judged.missed.iter().map(|line| (start + line, name, None)));
        } else if !judged.missed.is_empty() {
            let place = format!("{name} ({})", record.unit);
            record.caveats.push(Caveat { kind: CaveatKind::UninstrumentedFunction, place });
        }
        notes.extend(judged.handed.iter().map(|(callee, line)| (start + line, name, Some(*callee))));
        let results = &mut record.results;
        results.builders.extend(judged.builds.then(|| name.to_owned()));
        results.forwards.extend(judged.forwards.iter().map(|callee| (name.to_owned(), (*callee).to_owned())));
    }
    note(&lines, notes, &mut record);
    let defined: HashSet<&str> = functions.iter().map(|function| function.name).collect();
    record.results.close(&|name| defined.contains(name));
    let (mut inline, mut spelling) = (Inline::default(), syntax);
    for line in &lines {
        if let Some(place) = inline.line(line, &mut spelling) {
            record.caveats.push(Caveat { kind: CaveatKind::InlineAssembly, place });
        }
    }
    record.caveats.sort();
    record.caveats.dedup();
    assemble(&lines, &changes, &record)
}

/// Writes down accesses that are not announced, by line of the text, with their place in the source; those that
/// depend on whether a function builds its result only if it does, as far as the unit can tell.
fn note<'t>(lines: &[&str], mut notes: Vec<(usize, &'t str, Option<&'t str>)>, record: &mut Record) {
    notes.sort_unstable();
    let (mut location, mut next) = (Location::default(), 0);
    let mut found = Vec::new();
    for (line, function, callee) in notes {
        for line in &lines[next..line] {
            location.line(line);
        }
        next = line;
        if location.owner == Owner::Library {
            continue; // made part of a function of the program
        }
        let at = location.last.as_deref().unwrap_or(&record.unit);
        let place = format!("{at} in {function}: an access that the compiler does not announce");
        match callee {
            Some(callee) => drop(record.results.handed.insert((callee.to_owned(), place))),
            None => found.push(place),
        }
    }
    found.extend(record.results.resolve());
    let kind = CaveatKind::UninstrumentedFunction;
    record.caveats.extend(found.into_iter().map(|place| Caveat { kind, place }));
}

fn assemble(lines: &[&str], changes: &HashMap<usize, String>, record: &Record) -> String {
    let mut text = String::new();
    for (number, line) in lines.iter().enumerate() {
        text.push_str(changes.get(&number).map_or(line, String::as_str));
        text.push('\n');
    }
    // Excluded from programs, whose linker writes one record for all.
    writeln!(text, "\t.section {STAMP},\"e\",@progbits").expect("writing to a string");
    for line in record.encode().lines() {
        let mut escaped = String::new();
        for byte in narrow(line) {
            match byte {
                b' '..=b'~' if byte != b'"' && byte != b'\\' => escaped.push(char::from(byte)),
                _ => write!(escaped, "\\{byte:03o}").expect("writing to a string"),
            }
        }
        writeln!(text, "\t.ascii \"{escaped}\\n\"").expect("writing to a string");
    }
    text
}

/// The source file's name, from the `.file` without a number.
fn unit(lines: &[&str]) -> String {
    let named = lines.iter().find_map(|line| line.trim_start().strip_prefix(".file")?.trim().strip_prefix('"'));
    named.and_then(|rest| rest.split('"').next()).unwrap_or("unknown source").to_owned()
}

struct Function<'t> {
    name: &'t str,
    start: usize,
    end: usize,
}

/// From the label of a symbol declared as a function to its `.size`.
fn functions<'t>(lines: &[&'t str]) -> Vec<Function<'t>> {
    let mut found = Vec::new();
    let mut declared: Option<&str> = None;
    let mut open: Option<(&str, usize)> = None;
    for (number, line) in lines.iter().enumerate() {
        let text = line.trim_start();
        if let Some((name, kind)) = text.strip_prefix(".type").and_then(|rest| rest.split_once(',')) {
            if kind.contains("function") && open.is_none() {
                declared = Some(name.trim().trim_matches('"'));
            }
        } else if let Some(name) = text.strip_prefix(".size").and_then(|rest| rest.split(',').next()) {
            if let Some((opened, start)) = open.filter(|(opened, _)| *opened == name.trim().trim_matches('"')) {
                found.push(Function { name: opened, start, end: number });
                open = None;
            }
        } else if let Some(name) = declared.filter(|_| open.is_none())
            && let Some((label, _)) = line.split_once(':')
            && label.trim_matches('"') == name
        {
            open = Some((name, number));
        }
    }
    found
}
