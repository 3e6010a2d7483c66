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
use super::exempt::{defined_symbols, read_only_symbols};
use super::graph::Tables;
use super::inline::{Inline, takes_hooks};
use super::location::{Location, Owner};
use super::split::splits;
use super::stamp::{Record, STAMP};
use super::unannounced::{self, Locals, judge};
use super::{BuildError, exit_code, run, tools, transactions};

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

/// Something that is not announced: in which line and function, and what it depends on.
type Note<'t> = (usize, &'t str, Condition<'t>);

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Condition<'t> {
    Always,
    /// That function builds its result through a pointer.
    Builds(&'t str),
    /// Threads share a stack.
    OnStack,
    /// That data is not constant.
    Reads(&'t str),
    /// Builds and on the stack.
    BuildsOnStack(&'t str),
}

/// The text with announcements joined or left out, updates split and the stamp appended.
fn rewrite(text: &str) -> String {
    let mut lines: Vec<&str> = text.lines().collect();
    let mut record = Record { unit: unit(&lines), ..Record::default() };
    let mut changes = HashMap::new();
    let (read_only, known) = (read_only_symbols(&lines), defined_symbols(&lines));
    // The compiler's own choice stands above the first inline assembly, which may switch for itself.
    let mut own = lines.iter().map(|line| line.trim()).take_while(|line| *line != "#APP");
    let syntax = if own.any(|line| line.starts_with(".intel_syntax")) { Syntax::Intel } else { Syntax::Att };
    let functions: Vec<_> = functions(&lines);
    let tables = Tables::of(&lines);
    let locals = locals(&lines);
    let mut notes: Vec<Note> = Vec::new();
    for function in &functions {
        let (start, name) = (function.start, function.name);
        let text = &mut lines[start..function.end];
        let judged = judge(&unannounced::Function {
            name,
            lines: text,
            syntax,
            read_only: &read_only,
            defined: &known,
            tables: &tables,
            locals,
        });
        judged.needless.iter().for_each(|line| text[*line] = "");
        let text = &*text;
        changes.extend(joined_lines(text, syntax).into_iter().map(|at| (start + at, join(text[at]))));
        for split in splits(text, syntax) {
            match split.text {
                Some(changed) => drop(changes.insert(start + split.line, changed)),
                None => notes.push((start + split.line, name, Condition::Always)),
            }
        }
        if judged.instrumented {
            notes.extend(judged.missed.iter().map(|line| (start + line, name, Condition::Always)));
        } else if !judged.missed.is_empty() {
            let mut location = Location::default();
            lines[..start + judged.missed[0]].iter().for_each(|line| location.line(line));
            let place = format!("{name} ({})", location.last.as_deref().unwrap_or(&record.unit));
            record.caveats.push(Caveat { kind: CaveatKind::UninstrumentedFunction, place });
        }
        notes.extend(judged.outside.iter().map(|(symbol, line)| (start + line, name, Condition::Reads(symbol))));
        notes.extend(judged.own.iter().map(|line| (start + line, name, Condition::OnStack)));
        notes.extend(judged.handed.iter().map(|(callee, line)| (start + line, name, Condition::Builds(callee))));
        notes.extend(judged.lent.iter().map(|(callee, line)| (start + line, name, Condition::BuildsOnStack(callee))));
        let results = &mut record.results;
        results.builders.extend(judged.builds.then(|| name.to_owned()));
        results.forwards.extend(judged.forwards.iter().map(|callee| (name.to_owned(), (*callee).to_owned())));
    }
    changes.extend(lines.iter().enumerate().filter_map(|(at, line)| Some((at, known_section(line)?))));
    note(&lines, notes, &mut record);
    let defined: HashSet<&str> = functions.iter().map(|function| function.name).collect();
    record.results.close(&|name| defined.contains(name));
    let (mut inline, mut spelling) = (Inline::default(), syntax);
    let mut hooks = false;
    let narrow = !is_wide(&lines); // a caller may know that a function of the same unit leaves its vectors alone
    for (number, line) in lines.iter().enumerate() {
        if line.trim() == "#APP" {
            let inside = functions.iter().any(|function| (function.start..function.end).contains(&number));
            hooks = narrow && inside && takes_hooks(&lines[number..]);
        }
        let seen = inline.line(line, &mut spelling, hooks);
        changes.extend(seen.text.map(|text| (number, text)));
        record.caveats.extend(seen.place.map(|place| Caveat { kind: CaveatKind::InlineAssembly, place }));
    }
    record.transactions = transactions::of_lines(lines.iter().copied());
    record.caveats.sort();
    record.caveats.dedup();
    assemble(&lines, &changes, &record)
}

/// Are there vector registers of more than sixteen bytes, masks of vectors, or the newer half of the vector registers? Hooks do not keep those.
fn is_wide(lines: &[&str]) -> bool {
    let beyond = |line: &str, name: &str, least: u32| {
        let numbers = line
            .split(name)
            .skip(1)
            .filter_map(|rest| rest.split(|c: char| !c.is_ascii_digit()).next()?.parse::<u32>().ok());
        numbers.into_iter().any(|number| number >= least)
    };
    lines.iter().any(|line| ["%ymm", "%zmm", "%k"].iter().any(|name| beyond(line, name, 0)) || beyond(line, "%xmm", 16))
}

/// Writes down accesses that are not announced, by line of the text, with their place in the source; those that
/// depend on whether a function builds its result only if it does, as far as the unit can tell.
fn note(lines: &[&str], mut notes: Vec<Note>, record: &mut Record) {
    notes.sort_unstable();
    let (mut location, mut next) = (Location::default(), 0);
    let mut found = Vec::new();
    for (line, function, condition) in notes {
        for line in &lines[next..line] {
            location.line(line);
        }
        next = line;
        if location.owner == Owner::Library {
            continue; // made part of a function of the program
        }
        let at = location.last.as_deref().unwrap_or(&record.unit);
        let place = format!("{at} in {function}: an access that the compiler does not announce");
        let results = &mut record.results;
        match condition {
            Condition::Always => found.push(place),
            Condition::Builds(callee) => drop(results.handed.insert((callee.to_owned(), place))),
            Condition::Reads(symbol) => drop(results.read.insert((symbol.to_owned(), place))),
            Condition::OnStack => record.on_stack.push(place),
            Condition::BuildsOnStack(callee) => drop(results.lent.insert((callee.to_owned(), place))),
        }
    }
    let built = record.results.resolve();
    found.extend(built.shared);
    record.on_stack.extend(built.on_stack);
    record.on_stack.sort();
    record.on_stack.dedup();
    let kind = CaveatKind::UninstrumentedFunction;
    record.caveats.extend(found.into_iter().map(|place| Caveat { kind, place }));
}

/// A section of which only clang's own assembler knows the type. Linkers leave it out.
fn known_section(line: &str) -> Option<String> {
    const TYPE: &str = "@llvm_linker_options";
    (line.trim_start().starts_with(".section") && line.contains(TYPE)).then(|| line.replace(TYPE, "@progbits"))
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

/// clang is told to announce every variable.
fn locals(lines: &[&str]) -> Locals {
    let clang = lines.iter().any(|line| line.trim_start().starts_with(".ident") && line.contains("clang"));
    if clang { Locals::All } else { Locals::Known }
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
