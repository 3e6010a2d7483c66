//! What Rust code does to memory without announcing it: inline assembly, hardware transactions, and the processor's own functions for
//! vectors (masked loads and stores, gathering).
//!
//! The first two are seen in the assembly that the compiler would write, the third in its intermediate language, where both sanitizers
//! pass over them. Both cost a second round of code generation. So they are asked for only if the crate's sources have a word of
//! either, or a crate that it uses has: what is generic or inlined is compiled with whoever uses it. What is found in a library's code lies
//! in a file beside it, for the linker, and for who uses the library (an empty file too). Deliberately missed: words that a
//! procedural macro makes up.

mod debug;
mod words;

use std::collections::{BTreeSet, HashSet};
use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use gabion_trace::{Caveat, CaveatKind};
use object::{Object, ObjectSymbol};

use super::assembly::Syntax;
use super::inline::Inline;
use super::location::Location;
use super::transactions::transactional;
use super::{BuildError, tools};
use crate::scratch::Scratch;
use debug::Debug;
use words::may_hide;

/// The file beside a library.
const BESIDE: &str = "gabion-unseen";

/// A crate that is to be compiled, and looked at.
pub(super) struct Unit {
    /// The library that comes of it, if any.
    library: Option<PathBuf>,
    /// The user does not say what is to come of it.
    linked: bool,
    assembly: PathBuf,
    intermediate: PathBuf,
    _scratch: Scratch,
}

impl Unit {
    /// What these arguments compile, if it may hold any of that.
    pub(super) fn of(args: &[&OsString]) -> Result<Option<Unit>, BuildError> {
        let Some(source) = args.iter().map(Path::new).find(|arg| arg.extension().is_some_and(|e| e == "rs")) else {
            return Ok(None);
        };
        let library = library(args, source);
        if !may_hide(source) && !uses_such(args) {
            library.iter().for_each(|library| drop(fs::remove_file(library.with_extension(BESIDE))));
            return Ok(None);
        }
        let linked = !args.iter().any(|arg| arg.to_str().is_some_and(|arg| arg.starts_with("--emit")));
        let scratch = Scratch::new().map_err(BuildError::io("cannot make", Path::new("a temporary directory")))?;
        let (assembly, intermediate) = (scratch.path().join("assembly"), scratch.path().join("intermediate"));
        Ok(Some(Unit { library, linked, assembly, intermediate, _scratch: scratch }))
    }

    /// What the compiler is asked for besides.
    pub(super) fn arguments(&self) -> Vec<OsString> {
        let emit = |kind: &str, path: &Path| {
            let mut emit = OsString::from(format!("--emit={kind}="));
            emit.push(path);
            emit
        };
        let default = self.linked.then(|| OsString::from("--emit=link"));
        let ours = [emit("asm", &self.assembly), emit("llvm-ir", &self.intermediate), "-Ccodegen-units=1".into()];
        ours.into_iter().chain(default).collect()
    }

    /// Where the linker finds both, if it is called at once.
    pub(super) fn variables(&self) -> [(&'static str, &Path); 2] {
        [(tools::ASSEMBLY, &self.assembly), (tools::INTERMEDIATE, &self.intermediate)]
    }

    /// The compiler has done its work: what a library hides is written down beside it.
    pub(super) fn written(&self) -> Result<(), BuildError> {
        let Some(library) = &self.library else { return Ok(()) };
        let path = library.with_extension(BESIDE);
        let found = found(&self.assembly, &self.intermediate);
        fs::write(&path, text(&found)).map_err(BuildError::io("cannot write", &path))
    }
}

/// What functions of a program do unseen: of its own code, and of these libraries. What the linker has left out does nothing.
pub(super) fn of_program<'a>(program: &[u8], libraries: impl Iterator<Item = &'a Path>) -> Hidden {
    let own = env::var_os(tools::ASSEMBLY).zip(env::var_os(tools::INTERMEDIATE));
    let own = own.map(|(assembly, ir)| found(Path::new(&assembly), Path::new(&ir))).unwrap_or_default();
    let all: BTreeSet<Unseen> = libraries.flat_map(beside).chain(own).collect();
    if all.is_empty() {
        return Hidden::default();
    }
    let file = object::File::parse(program).ok();
    let linked: HashSet<&str> =
        file.iter().flat_map(|file| file.symbols()).filter_map(|symbol| symbol.name().ok()).collect();
    let is_linked = |unseen: &Unseen| unseen.function == ANYWHERE || linked.contains(unseen.function.as_str());
    let mut hidden = Hidden::default();
    for unseen in all.into_iter().filter(is_linked) {
        match unseen.what {
            What::Caveat(caveat) => hidden.caveats.push(caveat),
            What::Transaction(place) => hidden.transactions.push(place),
        }
    }
    hidden
}

/// What a program does unseen.
#[derive(Debug, Default)]
pub(super) struct Hidden {
    pub(super) caveats: Vec<Caveat>,
    /// Hardware transactions, with their places.
    pub(super) transactions: Vec<String>,
}

/// The text of the file beside a library: a line for each, and the checksum of these lines.
fn text(found: &BTreeSet<Unseen>) -> String {
    let lines: String = found.iter().map(|unseen| format!("{}\n", unseen.line())).collect();
    format!("{lines}{:08x}\n", crc32fast::hash(lines.as_bytes()))
}

/// What the file beside a library says; none: there is no such file. A damaged one hides what was in it.
fn beside(library: &Path) -> BTreeSet<Unseen> {
    let path = library.with_extension(BESIDE);
    let read = match fs::read(&path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return BTreeSet::new(),
        read => read.unwrap_or_default(),
    };
    let whole = str::from_utf8(&read).ok().and_then(|read| {
        let found: BTreeSet<Unseen> = read.lines().filter_map(Unseen::from_line).collect();
        (text(&found) == read).then_some(found)
    });
    whole.unwrap_or_else(|| {
        let place = format!("{} (the list of it, {}, is damaged)", library.display(), path.display());
        BTreeSet::from([Unseen::caveat(ANYWHERE, CaveatKind::InlineAssembly, place)])
    })
}

/// Where nobody knows which function it is.
const ANYWHERE: &str = "*";

/// Something that is not announced, and the function that does it.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Unseen {
    function: String,
    what: What,
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum What {
    Caveat(Caveat),
    /// A hardware transaction, with its place.
    Transaction(String),
}

impl Unseen {
    fn caveat(function: &str, kind: CaveatKind, place: impl Into<String>) -> Unseen {
        Unseen { function: function.to_owned(), what: What::Caveat(Caveat::new(kind, place)) }
    }

    fn line(&self) -> String {
        let (kind, place) = match &self.what {
            What::Caveat(caveat) if caveat.kind == CaveatKind::InlineAssembly => ("assembly", &caveat.place),
            What::Caveat(caveat) => ("wide", &caveat.place),
            What::Transaction(place) => ("transaction", place),
        };
        format!("{kind} {} {place}", self.function)
    }

    fn from_line(line: &str) -> Option<Unseen> {
        let (kind, rest) = line.split_once(' ')?;
        let (function, place) = rest.split_once(' ')?;
        Some(match kind {
            "assembly" => Unseen::caveat(function, CaveatKind::InlineAssembly, place),
            "transaction" => Unseen { function: function.to_owned(), what: What::Transaction(place.to_owned()) },
            _ => Unseen::caveat(function, CaveatKind::UninstrumentedFunction, place),
        })
    }
}

/// The library that comes of these arguments, as cargo and rustc name it; none: no library.
fn library(args: &[&OsString], source: &Path) -> Option<PathBuf> {
    let words: Vec<&str> = args.iter().filter_map(|arg| arg.to_str()).collect();
    let values = |name: &str| -> Vec<&str> {
        let after = words.windows(2).filter(|pair| pair[0] == name).map(|pair| pair[1]);
        let joined = words.iter().filter_map(|word| word.strip_prefix(name)?.strip_prefix('='));
        after.chain(joined).collect()
    };
    let kinds = values("--crate-type");
    let is_library = match kinds.is_empty() {
        true => fs::read_to_string(source).is_ok_and(|text| text.contains("crate_type")),
        false => {
            kinds.iter().flat_map(|kinds| kinds.split(',')).any(|k| ["lib", "rlib", "dylib", "staticlib"].contains(&k))
        }
    };
    let stem = || source.file_stem()?.to_str().map(|stem| stem.replace('-', "_"));
    let named = || {
        let extra = words.iter().find_map(|word| word.trim_start_matches("-C").strip_prefix("extra-filename="));
        let name = values("--crate-name").first().map(ToString::to_string).or_else(stem)?;
        let file = format!("lib{name}{}.rlib", extra.unwrap_or_default());
        Some(Path::new(values("--out-dir").first().unwrap_or(&".")).join(file))
    };
    let output = || words.windows(2).find(|pair| pair[0] == "-o").map(|pair| PathBuf::from(pair[1]));
    is_library.then(|| output().or_else(named)).flatten()
}

/// Does a library that these arguments name hide anything, or lie beside one that does?
fn uses_such(args: &[&OsString]) -> bool {
    let words: Vec<&str> = args.iter().filter_map(|arg| arg.to_str()).collect();
    let mut places: BTreeSet<PathBuf> = BTreeSet::from([PathBuf::from(".")]);
    for (index, word) in words.iter().enumerate() {
        let next = words.get(index + 1).copied();
        let searched = if *word == "-L" { next } else { word.strip_prefix("-L").filter(|rest| !rest.is_empty()) };
        places.extend(searched.map(|value| PathBuf::from(value.rsplit_once('=').map_or(value, |(_, path)| path))));
        let used = if *word == "--extern" { next } else { word.strip_prefix("--extern=") };
        let used = used.and_then(|value| Some(PathBuf::from(value.rsplit_once('=')?.1)));
        places.extend(used.and_then(|path| path.parent().map(Path::to_owned)));
    }
    let is_such = |path: &Path| path.extension().is_some_and(|e| e == BESIDE);
    places.iter().filter_map(|place| fs::read_dir(place).ok()).flatten().flatten().any(|e| is_such(&e.path()))
}

/// What code does to memory unannounced, by what the compiler wrote of it.
fn found(assembly: &Path, intermediate: &Path) -> BTreeSet<Unseen> {
    let read = |path: &Path| fs::read(path).ok().filter(|bytes| !bytes.is_empty());
    match (read(assembly), read(intermediate)) {
        (Some(assembly), Some(ir)) => {
            let mut found = assembled(&String::from_utf8_lossy(&assembly));
            found.extend(of_processor(&String::from_utf8_lossy(&ir)));
            found
        }
        _ => {
            let place = "a crate whose assembly the compiler did not write";
            BTreeSet::from([Unseen::caveat(ANYWHERE, CaveatKind::InlineAssembly, place)])
        }
    }
}

/// Inline assembly that touches memory, and transactions.
fn assembled(text: &str) -> BTreeSet<Unseen> {
    let (mut inline, mut syntax) = (Inline::default(), Syntax::Att);
    let (mut found, mut function) = (BTreeSet::new(), "");
    let mut location = Location::default();
    for line in text.lines() {
        location.line(line);
        if let Some(name) = transactional(line) {
            let place = format!("{name} at {}", location.last.as_deref().unwrap_or(function));
            found.insert(Unseen { function: function.to_owned(), what: What::Transaction(place) });
        }
        if let Some(label) = line.strip_suffix(':').filter(|label| !label.starts_with([' ', '\t', '.'])) {
            function = label.trim_matches('"');
        }
        if let Some(place) = inline.line(line, &mut syntax, false).place {
            found.insert(Unseen::caveat(function, CaveatKind::InlineAssembly, place));
        }
    }
    found
}

/// Calls of the processor's own functions for vectors with an address.
fn of_processor(text: &str) -> BTreeSet<Unseen> {
    let debug = Debug::of(text);
    let (mut found, mut function, mut locals) = (BTreeSet::new(), String::new(), HashSet::new());
    for line in text.lines() {
        if line.starts_with("define ") {
            let name = line.split_once('@').and_then(|(_, rest)| rest.split_once('('));
            function = name.map_or(String::new(), |(name, _)| name.trim_matches('"').to_owned());
            locals.clear();
        }
        if let Some((name, _)) = line.trim().split_once(" = alloca ") {
            locals.insert(name.to_owned());
        }
        let place = line.split("ptr ").nth(1).map(|rest| rest.split([',', ' ', ')']).next().unwrap_or_default());
        if touches_memory(line) && !place.is_some_and(|place| locals.contains(place)) {
            let named = format!("{:#}", rustc_demangle::demangle(&function));
            let at = debug.place(line).map_or(String::new(), |at| format!("{at} in "));
            let place = format!("{at}{named}: an access that the compiler does not announce");
            found.insert(Unseen::caveat(&function, CaveatKind::UninstrumentedFunction, place));
        }
    }
    found
}

/// Does a line of intermediate language call such a function?
fn touches_memory(line: &str) -> bool {
    let text = line.trim();
    let called = ["@llvm.x86.", "@llvm.masked."].iter().any(|name| text.contains(name));
    called && text.contains("ptr ") && !text.starts_with("declare ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assembly_is_found_where_it_stands() {
        let check = |body: &str, expected: &[&str]| {
            let text = format!("\t.file 1 \"/src\" \"lib.rs\"\nf:\n.Lx:\n\t.loc 1 7 5\n{body}\n");
            let found = assembled(&text);
            let place = |unseen: &Unseen| match &unseen.what {
                What::Caveat(caveat) => caveat.place.clone(),
                What::Transaction(place) => place.clone(),
            };
            assert_eq!(found.iter().map(place).collect::<Vec<_>>(), expected, "{body}");
            for unseen in &found {
                assert_eq!(unseen.function, "f");
                assert_eq!(Unseen::from_line(&unseen.line()).as_ref(), Some(unseen), "written down and read");
            }
        };
        check("\tmovq (%rax), %rcx", &[]);
        check("\t#APP\n\n\tmovq (%rax), %rcx\n\n\t#NO_APP", &["/src/lib.rs:7"]);
        check("\t#APP\n\t#NO_APP", &[]);
        check("\txbegin\t.L2", &["xbegin at /src/lib.rs:7"]);
    }

    #[test]
    fn damage_to_the_list_beside_a_library_is_a_caveat() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let library = directory.path().join("libx.rlib");
        let list = library.with_extension(BESIDE);
        assert!(beside(&library).is_empty(), "no list");
        let unseen = |kind, place: &str| Unseen::caveat("f", kind, place);
        let found = BTreeSet::from([
            unseen(CaveatKind::InlineAssembly, "lib.rs:7"),
            unseen(CaveatKind::UninstrumentedFunction, "vectors in f"),
        ]);
        let good = text(&found);
        fs::write(&list, &good).expect("a file");
        assert_eq!(beside(&library), found);
        for at in 0..good.len() {
            let mut bad = good.clone().into_bytes();
            bad[at] ^= 1;
            for bad in [bad, good.as_bytes()[..at].to_vec()] {
                fs::write(&list, &bad).expect("a file");
                let told: Vec<Unseen> = beside(&library).into_iter().collect();
                assert!(told.len() == 1 && told[0].function == ANYWHERE, "byte {at}: {told:?}");
            }
        }
    }

    #[test]
    fn functions_of_the_processor_are_found() {
        let check = |line: &str, expected: bool| {
            let text = format!("define void @f(ptr %p) {{\n  %local = alloca [32 x i8]\n  {line}\n}}\n");
            assert_eq!(!of_processor(&text).is_empty(), expected, "{line}");
        };
        check("%1 = load <4 x i64>, ptr %p, align 32", false); // announced
        check("call void @llvm.masked.store.v8i32.p0(<8 x i32> %v, ptr %p, i32 4, <8 x i1> %m)", true);
        check("call void @llvm.masked.store.v8i32.p0(<8 x i32> %v, ptr %local, i32 4, <8 x i1> %m)", false);
        check("%1 = tail call <4 x i64> @llvm.x86.avx2.maskload.q.256(ptr %p, <4 x i64> %m)", true);
        check("declare <4 x i64> @llvm.x86.avx2.maskload.q.256(ptr, <4 x i64>)", false);
        check("%1 = call <8 x i32> @llvm.x86.avx2.psad.bw(<32 x i8> %v, <32 x i8> %w)", false);
    }

    #[test]
    fn libraries_are_named_as_cargo_names_them() {
        let check = |args: &str, expected: Option<&str>| {
            let args: Vec<OsString> = args.split(' ').map(OsString::from).collect();
            let args: Vec<&OsString> = args.iter().collect();
            assert_eq!(library(&args, Path::new("x.rs")), expected.map(PathBuf::from), "{args:?}");
        };
        check("--crate-name a --crate-type lib --out-dir d -C extra-filename=-9 src/lib.rs", Some("d/liba-9.rlib"));
        check("--crate-name a --crate-type=rlib x.rs", Some("./liba.rlib"));
        check("--crate-name a --crate-type cdylib --crate-type rlib x.rs", Some("./liba.rlib"));
        check("--crate-name a --crate-type cdylib,lib x.rs", Some("./liba.rlib"));
        check("--crate-name a --crate-type bin x.rs", None);
        check("--crate-type lib x.rs -o y.rlib", Some("y.rlib"));
        check("--crate-type lib x.rs", Some("./libx.rlib"));
    }
}
