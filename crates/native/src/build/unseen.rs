//! What Rust code does to memory without announcing it: inline assembly, and vectors that are wider than the sanitizer's hooks.
//!
//! Both are seen in the assembly that the compiler would write, which costs a second round of code generation. So it is asked for
//! only if the crate's sources have a word of either, or a crate that it uses has: what is generic or inlined is compiled with whoever
//! uses it. What is found in a library's code lies in a file beside it, for the linker, and for who uses the library (an empty file
//! too). Deliberately missed: words that a procedural macro makes up.

use std::collections::{BTreeSet, HashSet};
use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use gabion_trace::{Caveat, CaveatKind};
use object::{Object, ObjectSymbol};
use tempfile::TempPath;

use super::assembly::{RBP, RSP, Statement, Syntax, statements};
use super::inline::Inline;
use super::location::Location;
use super::{BuildError, tools};

/// Words without which sources have neither.
const WORDS: [&str; 5] = ["asm!", "_mm_stream", "_mm256", "_mm512", "simd"];
/// Words of a file that is not all of its crate.
const MORE: [&str; 3] = ["mod ", "include!", "#[path"];
/// Files of a crate that are read; of a larger one it is not known.
const MOST_FILES: usize = 4096;
/// The file beside a library.
const BESIDE: &str = "gabion-unseen";

/// A crate that is to be compiled, and looked at.
pub(super) struct Unit {
    /// The library that comes of it, if any.
    library: Option<PathBuf>,
    /// The user does not say what is to come of it.
    linked: bool,
    assembly: TempPath,
}

impl Unit {
    /// What these arguments compile, if it may hold any of that.
    pub(super) fn of(args: &[&OsString]) -> Result<Option<Unit>, BuildError> {
        let Some(source) = args.iter().map(Path::new).find(|arg| arg.extension().is_some_and(|e| e == "rs")) else {
            return Ok(None);
        };
        let library = library(args);
        if !may_hide(source) && !uses_such(args) {
            library.iter().for_each(|library| drop(fs::remove_file(library.with_extension(BESIDE))));
            return Ok(None);
        }
        let fresh = tempfile::Builder::new().suffix(".s").tempfile();
        let fresh = fresh.map_err(BuildError::io("cannot make", Path::new("a temporary file")))?;
        let linked = !args.iter().any(|arg| arg.to_str().is_some_and(|arg| arg.starts_with("--emit")));
        Ok(Some(Unit { library, linked, assembly: fresh.into_temp_path() }))
    }

    /// What the compiler is asked for besides.
    pub(super) fn arguments(&self) -> Vec<OsString> {
        let mut emit = OsString::from("--emit=asm=");
        emit.push(&self.assembly);
        let default = self.linked.then(|| OsString::from("--emit=link"));
        [emit, "-Ccodegen-units=1".into()].into_iter().chain(default).collect()
    }

    /// Where the linker finds the assembly, if it is called at once.
    pub(super) fn variable(&self) -> (&'static str, &Path) {
        (tools::ASSEMBLY, &self.assembly)
    }

    /// The compiler has done its work: what a library hides is written down beside it.
    pub(super) fn written(&self) -> Result<(), BuildError> {
        let Some(library) = &self.library else { return Ok(()) };
        let path = library.with_extension(BESIDE);
        let lines: String = found(&self.assembly).iter().map(|unseen| format!("{}\n", unseen.line())).collect();
        fs::write(&path, lines).map_err(BuildError::io("cannot write", &path))
    }
}

/// What functions of a program do unseen: of its own code, and of these libraries. What the linker has left out does nothing.
pub(super) fn of_program<'a>(program: &[u8], libraries: impl Iterator<Item = &'a Path>) -> Vec<Caveat> {
    let own = env::var_os(tools::ASSEMBLY).map(|path| found(Path::new(&path))).unwrap_or_default();
    let beside = libraries.filter_map(|library| fs::read_to_string(library.with_extension(BESIDE)).ok());
    let all: BTreeSet<Unseen> =
        beside.flat_map(|text| text.lines().filter_map(Unseen::from_line).collect::<Vec<_>>()).chain(own).collect();
    if all.is_empty() {
        return Vec::new();
    }
    let file = object::File::parse(program).ok();
    let linked: HashSet<&str> =
        file.iter().flat_map(|file| file.symbols()).filter_map(|symbol| symbol.name().ok()).collect();
    all.into_iter().filter(|unseen| linked.contains(unseen.function.as_str())).map(|unseen| unseen.caveat).collect()
}

/// Something that is not announced, and the function that does it.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Unseen {
    function: String,
    caveat: Caveat,
}

impl Unseen {
    fn line(&self) -> String {
        let kind = if self.caveat.kind == CaveatKind::InlineAssembly { "assembly" } else { "wide" };
        format!("{kind} {} {}", self.function, self.caveat.place)
    }

    fn from_line(line: &str) -> Option<Unseen> {
        let (kind, rest) = line.split_once(' ')?;
        let (function, place) = rest.split_once(' ')?;
        let kind = if kind == "assembly" { CaveatKind::InlineAssembly } else { CaveatKind::UninstrumentedFunction };
        Some(Unseen { function: function.to_owned(), caveat: Caveat::new(kind, place) })
    }
}

/// The library that comes of these arguments, as cargo and rustc name it; none: no library, or nobody can say.
fn library(args: &[&OsString]) -> Option<PathBuf> {
    let words: Vec<&str> = args.iter().filter_map(|arg| arg.to_str()).collect();
    let after = |name: &str| words.windows(2).find(|pair| pair[0] == name).map(|pair| pair[1]);
    let value = |name: &str| words.iter().find_map(|word| word.strip_prefix(name)?.strip_prefix('=')).or(after(name));
    let kind = value("--crate-type")?;
    if !["lib", "rlib", "dylib"].contains(&kind) {
        return None;
    }
    let output = after("-o").map(PathBuf::from);
    output.or_else(|| {
        let extra = words.iter().find_map(|word| word.trim_start_matches("-C").strip_prefix("extra-filename="));
        let name = format!("lib{}{}.rlib", value("--crate-name")?, extra.unwrap_or_default());
        Some(Path::new(value("--out-dir").unwrap_or(".")).join(name))
    })
}

/// Do the sources of a crate have a word of what is not announced? If they cannot be read, they may.
fn may_hide(root: &Path) -> bool {
    let Ok(text) = fs::read_to_string(root) else { return true };
    if has(&text, &WORDS) {
        return true;
    }
    let generated = env::var_os("OUT_DIR").map(PathBuf::from);
    let around = root.parent().filter(|_| has(&text, &MORE)).map(Path::to_owned);
    let (mut directories, mut files): (Vec<PathBuf>, usize) = (generated.into_iter().chain(around).collect(), 0);
    while let Some(directory) = directories.pop() {
        let Ok(entries) = fs::read_dir(if directory.as_os_str().is_empty() { Path::new(".") } else { &directory })
        else {
            continue;
        };
        for path in entries.flatten().map(|entry| entry.path()) {
            files += 1;
            let hides = || fs::read_to_string(&path).is_ok_and(|text| has(&text, &WORDS));
            if files > MOST_FILES || path.extension().is_some_and(|e| e == "rs") && hides() {
                return true;
            }
            if path.is_dir() && !path.is_symlink() {
                directories.push(path);
            }
        }
    }
    false
}

fn has(text: &str, words: &[&str]) -> bool {
    words.iter().any(|word| text.contains(word))
}

/// Does a library that these arguments name hide anything, or lie beside one that does?
fn uses_such(args: &[&OsString]) -> bool {
    let named = args.iter().filter_map(|arg| arg.to_str()).filter_map(|arg| {
        let path = arg.strip_prefix("dependency=").or_else(|| arg.split_once('=').map(|(_, path)| path))?;
        let path = Path::new(path);
        if path.extension().is_some_and(|e| e == "rlib" || e == "rmeta") { path.parent() } else { Some(path) }
    });
    let directories: BTreeSet<&Path> = named.filter(|path| path.is_dir()).collect();
    let is_such = |path: &Path| path.extension().is_some_and(|e| e == BESIDE);
    directories
        .iter()
        .filter_map(|directory| fs::read_dir(directory).ok())
        .flatten()
        .flatten()
        .any(|e| is_such(&e.path()))
}

/// What assembly does to memory unannounced.
fn found(assembly: &Path) -> BTreeSet<Unseen> {
    fs::read_to_string(assembly).map(|text| look(&text)).unwrap_or_default()
}

fn look(text: &str) -> BTreeSet<Unseen> {
    let (mut inline, mut location, mut syntax) = (Inline::default(), Location::default(), Syntax::Att);
    let (mut found, mut function) = (BTreeSet::new(), "");
    for line in text.lines() {
        location.line(line);
        if let Some(label) = line.strip_suffix(':').filter(|label| !label.starts_with([' ', '\t', '.'])) {
            function = label.trim_matches('"');
        }
        let mut add = |kind, place| {
            found.insert(Unseen { function: function.to_owned(), caveat: Caveat::new(kind, place) });
        };
        if let Some(place) = inline.line(line, &mut syntax) {
            add(CaveatKind::InlineAssembly, place);
        }
        if (line.contains("%ymm") || line.contains("%zmm")) && is_wide(line, syntax) {
            let place = location.last.clone().unwrap_or_else(|| "wide vectors".to_owned());
            add(CaveatKind::UninstrumentedFunction, place);
        }
    }
    found
}

/// Does an instruction with a wide register touch memory that is not of its own frame?
fn is_wide(line: &str, syntax: Syntax) -> bool {
    statements(line, syntax).into_iter().any(|statement| match statement {
        Statement::Instruction(instruction) => {
            instruction.touched().any(|memory| memory.base != Some(RSP) && memory.base != Some(RBP))
        }
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_announced_is_found_where_it_stands() {
        let check = |body: &str, expected: &[(CaveatKind, &str)]| {
            let text = format!("\t.file 1 \"/src\" \"lib.rs\"\nf:\n.Lx:\n\t.loc 1 7 5\n{body}\n");
            let found = look(&text);
            let all: Vec<(CaveatKind, &str)> = found.iter().map(|u| (u.caveat.kind, u.caveat.place.as_str())).collect();
            assert_eq!(all, expected, "{body}");
            for unseen in &found {
                assert_eq!(unseen.function, "f");
                assert_eq!(Unseen::from_line(&unseen.line()).as_ref(), Some(unseen), "written down and read");
            }
        };
        check("\tmovq (%rax), %rcx", &[]);
        check("\t#APP\n\n\tmovq (%rax), %rcx\n\n\t#NO_APP", &[(CaveatKind::InlineAssembly, "lib.rs:7")]);
        check("\t#APP\n\t#NO_APP", &[]);
        check("\tvmovups %ymm0, (%rdi)", &[(CaveatKind::UninstrumentedFunction, "lib.rs:7")]);
        check("\tvmovups %ymm0, 32(%rsp)", &[]);
        check("\tvpaddd %ymm0, %ymm1, %ymm2", &[]);
    }

    #[test]
    fn libraries_are_named_as_cargo_names_them() {
        let check = |args: &str, expected: Option<&str>| {
            let args: Vec<OsString> = args.split(' ').map(OsString::from).collect();
            let args: Vec<&OsString> = args.iter().collect();
            assert_eq!(library(&args), expected.map(PathBuf::from), "{args:?}");
        };
        check("--crate-name a --crate-type lib --out-dir d -C extra-filename=-9 src/lib.rs", Some("d/liba-9.rlib"));
        check("--crate-name a --crate-type=rlib x.rs", Some("./liba.rlib"));
        check("--crate-name a --crate-type bin x.rs", None);
        check("--crate-type lib x.rs -o y.rlib", Some("y.rlib"));
    }
}
