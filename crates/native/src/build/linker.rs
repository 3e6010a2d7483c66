//! The linker that drivers find: puts our runtime first, then writes down what else went in.
//!
//! The real linker says with `--trace` which objects and archive members it loaded. Each of them is stamped (then its
//! own findings count), or part of the compiler or the C library (trusted), or a caveat. The sum is written into the
//! output. `-r` keeps stamps meaningful: its output has one record with the caveats of all its parts.

use std::collections::{BTreeSet, HashSet};
use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use gabion_trace::{Caveat, CaveatKind};
use object::{Object, ObjectSymbol};

use super::elf::{self, Part};
use super::frameworks;
use super::inputs::{Input, input, is_standard, is_trusted, owner, parts, place};
use super::reach::{Graph, Owner, Reached};
use super::results::Results;
use super::stamp::{LINK, Record, STAMP};
use super::standard::{self, Made, Standard};
use super::{BuildError, exit_code, flags, run, tools, unseen};
use crate::functions::{listed, short_name};
use crate::library;
use crate::scratch::Scratch;

/// Options that make the linker print to standard output, which then is the user's.
const TALKATIVE: [&str; 12] = [
    "-t",
    "--trace",
    "-M",
    "--print-map",
    "--verbose",
    "-v",
    "-V",
    "--cref",
    "--print-memory-usage",
    "--print-output-format",
    "--stats",
    "--print-sysroot",
];

/// Options under which the place of an archive means more than its turn.
const GROUPING: [&str; 10] = [
    "-(",
    "--start-group",
    "--whole-archive",
    "-Bstatic",
    "-dn",
    "-non_shared",
    "-static",
    "--push-state",
    "-call_shared",
    "--start-lib",
];

/// What is linked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Output {
    Program,
    Relocatable,
}

/// What the arguments ask for.
struct Request {
    kind: Output,
    path: PathBuf,
    talks: bool,
    /// Only a question, or for another machine: none of our business.
    foreign: bool,
}

/// Does the work of `ld`; `args` start with the name it was called by.
pub fn run_ld(args: &[OsString]) -> Result<i32, BuildError> {
    let (name, args) = args.split_first().expect("a program is called by some name");
    let real = match flags::asked_linker() {
        Some(asked) => tools::on_path(&asked)
            .filter(|path| !tools::is_us(path))
            .ok_or_else(|| BuildError::ToolNotFound(asked.to_string_lossy().into_owned()))?,
        None => tools::real(name)?,
    };
    let expanded = flags::expand(args);
    let request = read(&expanded)?;
    let mut response = None;
    let args = match request.kind {
        _ if request.foreign => args.to_vec(),
        Output::Relocatable => args.to_vec(),
        // Drivers hide their own runtime in response files too.
        Output::Program if expanded != args => vec![respond(&with_runtime(&expanded)?, &mut response)?],
        Output::Program => with_runtime(args)?,
    };
    if request.foreign {
        let mut command = Command::new(&real);
        command.args(&args);
        return run(command);
    }
    let (status, loaded) = if request.talks { link_twice(&real, &args, &request)? } else { link(&real, &args)? };
    if status == 0 {
        write_record(&request, &loaded)?;
    } else if let Some(file) = expanded.iter().map(Path::new).find(|path| elf::is_unfinished(path)) {
        eprintln!(
            "gabion: {}: compiled for optimisation at link time, without which gabion links: compile it with gabion cc, or with -fno-lto",
            file.display()
        );
    }
    Ok(status)
}

fn read(expanded: &[OsString]) -> Result<Request, BuildError> {
    let mut request =
        Request { kind: Output::Program, path: PathBuf::from("a.out"), talks: false, foreign: expanded.is_empty() };
    let mut previous: &[u8] = b"";
    for arg in expanded {
        let word = arg.as_bytes();
        let path = |bytes| PathBuf::from(OsStr::from_bytes(bytes));
        match (previous, word) {
            (b"-o" | b"--output", _) => request.path = path(word),
            (b"-m", emulation) if emulation != b"elf_x86_64" => request.foreign = true,
            (_, b"-r" | b"-i" | b"-Ur" | b"--relocatable") => request.kind = Output::Relocatable,
            (_, b"--version" | b"--help" | b"-h") => request.foreign = true,
            (_, b"-static" | b"--static") => return Err(BuildError::Static("-static".to_owned())),
            _ => {
                request.talks |= TALKATIVE.iter().any(|known| known.as_bytes() == word);
                let joined = word.strip_prefix(b"--output=").or_else(|| word.strip_prefix(b"-o"));
                if let Some(joined) = joined.filter(|rest| !rest.is_empty()) {
                    request.path = path(joined);
                }
            }
        }
        previous = if matches!(previous, b"-o" | b"-m") { b"" } else { word };
    }
    // `ld -v` alone prints a version and links nothing.
    request.foreign |= request.talks && expanded.iter().all(|arg| arg.as_bytes().starts_with(b"-"));
    Ok(request)
}

/// Our runtime before everything else, so that its functions are found before libc's, and the way to it when the
/// program is run by itself; the compiler's own runtime is left out.
fn with_runtime(args: &[OsString]) -> Result<Vec<OsString>, BuildError> {
    let failed = || BuildError::io("cannot lay out", Path::new(library::RUNTIME_NAME));
    let path = library::path().map_err(failed())?;
    let directory = library::directory().map_err(failed())?;
    let mut all: Vec<OsString> = ["-rpath".into(), padded(directory), "--push-state".into(), "--no-as-needed".into()]
        .into_iter()
        .chain([path.into_os_string(), "--pop-state".into()])
        .collect();
    let theirs =
        |arg: &OsString| arg == "-ltsan" || Path::new(arg).file_name() == Some(OsStr::new("libtsan_preinit.o"));
    all.extend(frameworks_last(args.iter().filter(|arg| !theirs(arg)).cloned().collect()));
    Ok(all)
}

/// A directory, followed by slashes: its name takes the same room in every program, so that everything behind it lies in the same
/// place wherever gabion keeps its files.
fn padded(directory: &Path) -> OsString {
    const ROOM: usize = 256;
    let mut name = directory.as_os_str().to_owned();
    name.push("/".repeat(ROOM - name.len() % ROOM));
    name
}

/// Archives of test frameworks after the program's own libraries: of what both have, instances of the C++ library's
/// templates, the first is taken, and theirs may not be instrumented.
fn frameworks_last(args: Vec<OsString>) -> Vec<OsString> {
    let is_framework = |arg: &OsString| {
        let named =
            arg.to_str().and_then(|arg| arg.strip_prefix("-l")).map(|name| PathBuf::from(format!("lib{name}.a")));
        let path = named.unwrap_or_else(|| PathBuf::from(arg));
        path.extension() == Some(OsStr::new("a")) && frameworks::of_library(&path).is_some()
    };
    let of_driver = |arg: &OsString| ["-lstdc++", "-lc++", "-lgcc", "-lc"].iter().any(|library| arg == library);
    let grouped = |arg: &OsString| GROUPING.iter().any(|option| arg == option);
    let Some(last) = args.iter().rposition(is_framework) else { return args };
    let Some(tail) = args[last..].iter().position(of_driver).map(|at| last + at) else { return args };
    if args[..tail].iter().any(grouped) {
        return args;
    }
    let (theirs, mut own): (Vec<OsString>, Vec<OsString>) = args[..tail].iter().cloned().partition(is_framework);
    own.extend(theirs);
    own.extend_from_slice(&args[tail..]);
    own
}

/// Writes the arguments into a response file, which lives as long as `place`.
fn respond(args: &[OsString], place: &mut Option<Scratch>) -> Result<OsString, BuildError> {
    let failed = || BuildError::io("cannot write", Path::new("a response file"));
    let scratch = Scratch::new().map_err(failed())?;
    let path = scratch.path().join("arguments");
    let mut text = Vec::new();
    for arg in args {
        let quoted: Vec<u8> = arg.as_bytes().iter().flat_map(|byte| [b'\\', *byte]).collect();
        text.extend(if quoted.is_empty() { b"\"\"".to_vec() } else { quoted });
        text.push(b'\n');
    }
    fs::write(&path, text).map_err(failed())?;
    let mut named = OsString::from("@");
    named.push(path);
    *place = Some(scratch);
    Ok(named)
}

/// Links and takes from standard output what `--trace` wrote there; the rest is the user's.
fn link(real: &Path, args: &[OsString]) -> Result<(i32, Vec<Input>), BuildError> {
    let output = Command::new(real)
        .args(args)
        .args(["--trace", "--trace"]) // twice: members of archives too
        .stderr(Stdio::inherit())
        .output()
        .map_err(BuildError::io("cannot run", real))?;
    let mut loaded = Vec::new();
    for line in output.stdout.split_inclusive(|byte| *byte == b'\n') {
        match input(line.trim_ascii_end()) {
            Some(input) => loaded.push(input),
            None => {
                io::stdout().write_all(line).map_err(BuildError::io("cannot write", Path::new("standard output")))?
            }
        }
    }
    Ok((exit_code(output.status), loaded))
}

/// Links as asked, then once more to nowhere to learn what was loaded.
fn link_twice(real: &Path, args: &[OsString], request: &Request) -> Result<(i32, Vec<Input>), BuildError> {
    let mut command = Command::new(real);
    command.args(args);
    let status = run(command)?;
    if status != 0 || !request.path.exists() {
        return Ok((status, Vec::new()));
    }
    let nowhere = Scratch::new().map_err(BuildError::io("cannot make", Path::new("a temporary directory")))?;
    let output = Command::new(real)
        .args(args)
        .args(["--trace", "--trace", "-o"])
        .arg(nowhere.path().join("program"))
        .stderr(Stdio::null())
        .output()
        .map_err(BuildError::io("cannot run", real))?;
    Ok((status, output.stdout.split(|byte| *byte == b'\n').filter_map(|line| input(line.trim_ascii_end())).collect()))
}

/// Writes the caveats of all inputs into the output.
fn write_record(request: &Request, loaded: &[Input]) -> Result<(), BuildError> {
    let mut inputs = loaded.to_vec();
    inputs.sort();
    inputs.dedup();
    let mut record = Record::default();
    let mut units = 0;
    let reached = if request.kind == Output::Program { reached(loaded)? } else { Reached::default() };
    for input in &inputs {
        for part in parts(input, elf::part)? {
            match part {
                Part::Stamped(records) => {
                    units += records.len();
                    let program = |record: &Record| owner(input, Some(&record.unit)) == Owner::Program;
                    for part in records.into_iter().filter(program) {
                        record.caveats.extend(part.caveats);
                        record.on_stack.extend(part.on_stack);
                        record.transactions.extend(part.transactions);
                        record.results.extend(part.results);
                    }
                }
                Part::Unstamped(source)
                    if !is_trusted(&input.file)
                        && !is_standard(&input.file)
                        && owner(input, source.as_deref()) == Owner::Program =>
                {
                    units += 1;
                    let place = place(input, source);
                    record.caveats.push(Caveat { kind: CaveatKind::UninstrumentedObject, place });
                }
                _ => {}
            }
        }
    }
    let built = record.results.resolve();
    let kind = CaveatKind::UninstrumentedFunction;
    record.caveats.extend(built.shared.into_iter().map(|place| Caveat { kind, place }));
    record.on_stack.extend(built.on_stack);
    if request.kind == Output::Program {
        let constants = if record.results.read.is_empty() { HashSet::new() } else { constants(&inputs)? };
        let read = record.results.read_variables(&|name| constants.contains(name));
        record.caveats.extend(read.into_iter().map(|place| Caveat { kind, place }));
        record.results = Results::default(); // nothing is added to a program
        record.caveats.retain(|caveat| !reached.spares(&caveat.place));
        record.on_stack.retain(|place| !reached.spares(place));
        let trusted =
            reached.frameworks.into_iter().chain(inputs.iter().filter_map(|input| frameworks::of_library(&input.file)));
        record.caveats.extend(trusted.map(|name| Caveat::new(CaveatKind::TrustedLibrary, name)));
        if !reached.borrowed.is_empty() {
            let names: BTreeSet<String> = reached.borrowed.iter().map(|symbol| short_name(symbol)).collect();
            let names = listed(names.iter().map(String::as_str));
            let place = format!("{names}, of a test framework that was not compiled by gabion");
            record.caveats.push(Caveat::new(CaveatKind::UninstrumentedFunction, place));
        }
        record.spared = reached.spared;
    }
    let path = &request.path;
    let bytes = fs::read(path).map_err(BuildError::io("cannot read", path))?;
    if request.kind == Output::Program {
        let unseen = unseen::of_program(&bytes, inputs.iter().map(|input| input.file.as_path()));
        record.caveats.extend(unseen.caveats);
        record.transactions.extend(unseen.transactions);
    }
    record.caveats.sort();
    record.caveats.dedup();
    record.on_stack.sort();
    record.on_stack.dedup();
    record.transactions.sort();
    record.transactions.dedup();
    let mut standard = Standard::default();
    if inputs.iter().any(|input| is_standard(&input.file)) && request.kind == Output::Program {
        standard = with_standard_library(&bytes, &inputs, &mut record)?;
    }
    let standard = (request.kind == Output::Program && inputs.iter().any(|input| is_standard(&input.file)))
        .then(|| standard.encode());
    record.standard = standard.as_deref().map(crc32fast::hash);
    let (section, text) = match request.kind {
        Output::Program => (LINK, record.encode()),
        // One record per unit, so that a later link finds as many as there are file symbols.
        Output::Relocatable => {
            let rest = Record::default().encode().repeat(usize::max(units, 1) - 1);
            (STAMP, record.encode() + &rest)
        }
    };
    if !bytes.starts_with(b"\x7fELF") {
        return Ok(()); // --oformat binary and the like, or a device
    }
    let marked = elf::with_section(&bytes, section, text.as_bytes())
        .map_err(|why| BuildError::Malformed { path: path.clone(), why })?;
    let marked = match standard {
        Some(section) => elf::with_section(&marked, gabion_trace::standard::SECTION, &section)
            .map_err(|why| BuildError::Malformed { path: path.clone(), why })?,
        None => marked,
    };
    // Written in place: keeps its mode, and anybody's links to it.
    fs::write(path, marked).map_err(BuildError::io("cannot write", path))
}

/// What a program says about the Rust standard library in it, which is trusted: also with what it calls itself.
fn with_standard_library(bytes: &[u8], inputs: &[Input], record: &mut Record) -> Result<Standard, BuildError> {
    let Ok(file) = object::File::parse(bytes) else { return Ok(Standard::default()) };
    let made = made(inputs)?;
    let standard = Standard::of(&file, made);
    if made == Made::Prebuilt {
        let why = env::var(tools::WHY_PREBUILT).unwrap_or_else(|_| "another one was asked for".to_owned());
        record.why_prebuilt = Some(why);
    }
    let kind = CaveatKind::UnknownStandardLibrary;
    record.caveats.extend(standard.unknown.iter().map(|name| Caveat::new(kind, name.clone())));
    let mut called = HashSet::new();
    // Our runtime is among the inputs; what it calls is not the program's doing either.
    let ours = |input: &&Input| input.file.file_name() == Some(OsStr::new(library::RUNTIME_NAME));
    let theirs = |input: &&Input| !is_standard(&input.file) && !is_trusted(&input.file) && !ours(input);
    for input in inputs.iter().filter(theirs) {
        called.extend(parts(input, |bytes| Ok(elf::undefined(bytes)))?.into_iter().flatten());
    }
    if made == Made::Prebuilt {
        let changes: BTreeSet<&str> = called.iter().filter_map(|name| standard::changes_process(name)).collect();
        let named = changes.into_iter().map(|name| format!("{name} of the Rust standard library, which came prebuilt"));
        record.caveats.extend(named.map(|place| Caveat::new(CaveatKind::UninstrumentedFunction, place)));
    }
    let imports = file.dynamic_symbols().filter(|symbol| symbol.is_undefined());
    let imports = imports.filter_map(|symbol| symbol.name().ok().map(str::to_owned));
    record.trusted_calls = imports.filter(|name| !name.is_empty() && !called.contains(name)).collect();
    Ok(standard)
}

/// Was the standard library compiled like the program? It itself says so, wherever it comes from.
fn made(inputs: &[Input]) -> Result<Made, BuildError> {
    let named =
        |input: &&Input| input.file.file_name().and_then(OsStr::to_str).is_some_and(|n| n.starts_with("libstd-"));
    for input in inputs.iter().filter(|input| is_standard(&input.file)).filter(named) {
        if parts(input, |bytes| Ok(elf::is_instrumented(bytes)))?.contains(&true) {
            return Ok(Made::Rebuilt);
        }
    }
    Ok(Made::Prebuilt)
}

/// What the program reaches otherwise than through test frameworks.
fn reached(loaded: &[Input]) -> Result<Reached, BuildError> {
    let mut graph = Graph::default();
    let mut seen = HashSet::new();
    for input in loaded.iter().filter(|input| seen.insert(*input)) {
        parts(input, |bytes| {
            let owner = match elf::part(bytes)? {
                Part::Stamped(records) => owner(input, records.first().map(|record| record.unit.as_str())),
                Part::Unstamped(source) if owner(input, source.as_deref()) == Owner::Framework => Owner::Prebuilt,
                _ => owner(input, None),
            };
            graph.add(bytes, owner);
            Ok(())
        })?;
    }
    Ok(graph.reached())
}

/// Data that the inputs define in sections that nobody writes.
fn constants(inputs: &[Input]) -> Result<HashSet<String>, BuildError> {
    let mut found = HashSet::new();
    for input in inputs {
        found.extend(parts(input, |bytes| Ok(elf::constants(bytes)))?.into_iter().flatten());
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn archives_of_frameworks_come_after_the_programs_own() {
        let check = |before: &str, after: &str| {
            let args = before.split(' ').map(OsString::from).collect();
            let moved: Vec<String> =
                frameworks_last(args).iter().map(|arg| arg.to_string_lossy().into_owned()).collect();
            assert_eq!(moved.join(" "), after);
        };
        check("a.o -lgtest libq.a -lstdc++ -lc", "a.o libq.a -lgtest -lstdc++ -lc");
        check("a.o /x/libgmock.a /x/libgtest.a q.o -lstdc++", "a.o q.o /x/libgmock.a /x/libgtest.a -lstdc++");
        check("a.o -lgtest -lstdc++ --push-state -lgcc", "a.o -lgtest -lstdc++ --push-state -lgcc");
        check("--whole-archive -lgtest libq.a -lstdc++", "--whole-archive -lgtest libq.a -lstdc++");
        check("a.o libq.a -lstdc++", "a.o libq.a -lstdc++");
    }
}
