//! What is known of a program before it runs: how it was built, what it calls, which libraries it loads.

use crate::build::{self, InStandard, Inspection};
use crate::functions::{listed, short_name};
use crate::library::{self, RUNTIME};
use crate::symbols::demangled;
use crate::watched::{self, Watched};
use gabion_trace::known::{self, Known};
use gabion_trace::{Caveat, CaveatKind, RunError};
use object::elf::SHF_ALLOC;
use object::{Object, ObjectSection, ObjectSymbol, SectionFlags};
use std::borrow::Cow;
use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};

/// Whether the program can see the moment at which a thread ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ends {
    /// It calls one of [`ASKS_FOR_ENDS`].
    Seen,
    /// It can only wait for ends.
    Unseen,
}

/// Calls that tell, without waiting, whether a thread has ended.
const ASKS_FOR_ENDS: &[&str] = &[
    "pthread_tryjoin_np",
    "pthread_timedjoin_np",
    "pthread_clockjoin_np",
    "pthread_kill",
    "pthread_sigqueue",
    "tgkill",
    // Any of them may be found by name.
    "dlsym",
    "dlvsym",
];

/// What `GABION_WITHIN` and `gabion::within` call.
const MARKS_SCOPES: &str = "__gabion_within_begin";

/// An executable.
pub struct Image {
    pub hash: u64,
    pub ends: Ends,
    /// It may mark scopes of its own.
    pub marks_scopes: bool,
    /// It has a standard library of Rust.
    pub is_rust: bool,
    /// What is not instrumented.
    caveats: Vec<Caveat>,
    /// What is not announced in stacks.
    on_stack: Vec<Caveat>,
    /// Imported names that nobody models.
    unmodelled: BTreeSet<String>,
    /// Those of them of which runs say whether they are called.
    watched: Watched,
    /// The executable has code that runs before the runtime has changed a word.
    has_early_code: bool,
    /// Its Rust standard library was compiled like the program.
    pub rebuilt_library: bool,
    /// Names that instrumented libraries define.
    defined: HashSet<String>,
}

/// A loaded file: where its first byte is, and where its code and data lie.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Module {
    pub path: PathBuf,
    pub base: u64,
    pub end: u64,
}

impl Image {
    /// Reads an executable; errors say what to do about them.
    pub fn open(path: &Path) -> Result<Self, RunError> {
        let inspection = build::inspect(path).map_err(|e| RunError::Start(e.to_string()))?;
        let bytes = std::fs::read(path).map_err(|e| RunError::Start(format!("{}: {e}", path.display())))?;
        let mut image = Image {
            hash: identity(&bytes),
            ends: Ends::Unseen,
            marks_scopes: false,
            is_rust: inspection.standard_library.is_some(),
            caveats: inspection.caveats.clone(),
            on_stack: inspection.on_stack.clone(),
            unmodelled: BTreeSet::new(),
            has_early_code: watched::has_early_code(&bytes),
            watched: Watched::default(),
            rebuilt_library: inspection.standard_library == Some(InStandard::Rebuilt),
            defined: definitions(&bytes),
        };
        match &inspection.standard_library {
            Some(InStandard::Rebuilt) => {
                image.caveats.push(Caveat::new(CaveatKind::TrustedLibrary, Caveat::REBUILT_RUST_LIBRARY));
            }
            Some(InStandard::Prebuilt(why)) => {
                image.caveats.push(Caveat::new(CaveatKind::TrustedLibrary, Caveat::RUST_LIBRARY));
                image.caveats.push(Caveat::new(CaveatKind::ToldRaces, why));
            }
            None => {}
        }
        image.add_imports(&inspection, image.has_early_code)?;
        image.watched = Watched::new(&bytes, &image.unmodelled, image.has_early_code);
        Ok(image)
    }

    /// Calls that nobody models are caveats. Synchronisation that nobody models is refused when it is called, or here if code runs
    /// so early that nobody would (`is_early`).
    fn add_imports(&mut self, inspection: &Inspection, is_early: bool) -> Result<(), RunError> {
        if let Some(place) = inspection.transactions.first() {
            return Err(RunError::Start(format!(
                "the program uses hardware transactions ({place}), which gabion does not model yet; build it without them \
                 (-mno-rtm, or its option for plain locks)"
            )));
        }
        let exports = runtime_exports();
        for name in &inspection.imports {
            if ASKS_FOR_ENDS.contains(&name.as_str()) {
                self.ends = Ends::Seen;
            }
            self.marks_scopes |= name == MARKS_SCOPES;
            match known::classify(name, exports.contains(name)) {
                Known::Interposed | Known::Harmless => {}
                Known::Synchronisation if is_early => {
                    return Err(RunError::Start(format!(
                        "{name}, a synchronisation function that gabion does not model yet, may be called before anything could \
                         refuse the call: by functions in .preinit_array, by an ifunc, or by a library that asks to be initialised \
                         first; build it without that function, or without what runs so early"
                    )));
                }
                Known::Synchronisation => {}
                Known::Unmodelled => {
                    self.unmodelled.insert(name.clone());
                }
            }
        }
        Ok(())
    }

    /// What is not instrumented, and calls of what nobody models, as far as runs will not tell of them.
    pub fn caveats(&self) -> Vec<Caveat> {
        let calls = self.unmodelled.iter().filter(|name| !self.watched.has(name));
        let calls = self.told(calls).into_iter().map(|call| Caveat::new(CaveatKind::UnmodelledCall, call));
        self.caveats.iter().cloned().chain(calls).collect()
    }

    /// What is one too once a run has called what nobody models.
    pub fn call_caveat(&self) -> Option<Caveat> {
        let names = self.told(self.watched.names());
        let place = match names.as_slice() {
            [] => return None,
            [one] => one.clone(),
            some => format!("some of {}", some.join(", ")),
        };
        Some(Caveat::new(CaveatKind::UnmodelledCall, place))
    }

    /// What a process is told at its start.
    pub(crate) fn told_at_start(&self) -> (Ends, Watched) {
        (self.ends, self.watched.clone())
    }

    /// Where the executable keeps the addresses of functions whose calls are to be noted.
    pub fn watched_calls(&self) -> impl Iterator<Item = u32> {
        self.watched.slots()
    }

    /// Names for people, those of the C++ library in one; without those that instrumented libraries define.
    fn told<'n>(&self, names: impl Iterator<Item = &'n String>) -> Vec<String> {
        let calls = names.filter(|name| !self.defined.contains(*name));
        let (of_cpp, others): (Vec<&String>, Vec<&String>) = calls.partition(|name| is_of_cpp_library(name));
        others.into_iter().map(|name| demangled(name)).chain(grouped(&of_cpp)).collect()
    }

    /// What are caveats too once a thread has touched the stack of another.
    pub fn stack_caveats(&self) -> &[Caveat] {
        &self.on_stack
    }

    /// Libraries that were loaded: what they lack is a caveat too.
    pub fn add_libraries(&mut self, modules: &[Module]) {
        for module in modules.iter().skip(1) {
            let name = module.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if build::is_trusted_library(&name) {
                continue;
            }
            if let Some(framework) = build::framework_of(&module.path) {
                self.caveats.push(Caveat::new(CaveatKind::TrustedLibrary, framework));
                continue;
            }
            match build::inspect(&module.path) {
                Ok(inspection) if inspection.built_by_gabion => {
                    // Its constructors may call functions of the executable before calls are noted.
                    self.watched = Watched::default();
                    self.caveats.extend(inspection.caveats.iter().cloned());
                    self.on_stack.extend(inspection.on_stack.iter().cloned());
                    let bytes = std::fs::read(&module.path).unwrap_or_default();
                    self.defined.extend(definitions(&bytes));
                    let is_early = self.has_early_code || watched::has_early_code(&bytes);
                    if let Err(error) = self.add_imports(&inspection, is_early) {
                        self.caveats.push(Caveat::new(CaveatKind::UninstrumentedLibrary, format!("{name}: {error}")));
                    }
                }
                _ => self.caveats.push(Caveat::new(CaveatKind::UninstrumentedLibrary, name)),
            }
        }
    }
}

/// Is it a function of the C++ library, which is not a template that the program was compiled with?
fn is_of_cpp_library(symbol: &str) -> bool {
    ["_ZS", "_ZNS", "_ZNKS", "_ZN9__gnu_cxx", "_ZNK9__gnu_cxx"].iter().any(|prefix| symbol.starts_with(prefix))
}

/// What of the C++ library is called, in one line. What people call by name comes before what the library's headers call.
fn grouped(symbols: &[&String]) -> Option<String> {
    let names: BTreeSet<(bool, String)> =
        symbols.iter().map(|symbol| short_name(symbol)).map(|name| (name.contains("::_"), name)).collect();
    let list = listed(names.iter().map(|(_, name)| name.as_str()));
    (!names.is_empty()).then(|| {
        format!("{list}, of the C++ library (what they work on is safe where one thread has it, or a lock is held)")
    })
}

/// What the runtime stands in for.
fn runtime_exports() -> HashSet<String> {
    definitions(RUNTIME)
}

/// Names that an executable or library offers to others.
fn definitions(bytes: &[u8]) -> HashSet<String> {
    let Ok(file) = object::File::parse(bytes) else { return HashSet::new() };
    file.dynamic_symbols().filter(|s| !s.is_undefined()).filter_map(|s| s.name().ok().map(str::to_owned)).collect()
}

/// Differs with whatever else is in the file.
const BUILD_ID: &str = ".note.gnu.build-id";

/// What tells one build of a program from another: all that is loaded of it. Where its sources lay is in none of that, and where
/// gabion keeps its runtime is left out.
fn identity(bytes: &[u8]) -> u64 {
    let Ok(file) = object::File::parse(bytes) else { return hash(bytes) };
    let loaded = |s: &object::Section<'_, '_>| match s.flags() {
        SectionFlags::Elf { sh_flags } => sh_flags & u64::from(SHF_ALLOC) != 0 && s.name() != Ok(BUILD_ID),
        _ => false,
    };
    let sections = file.sections().filter(loaded);
    sections.fold(0, |all, section| {
        let data = section.data().unwrap_or_default();
        let data = if section.name() == Ok(".dynstr") { without_runtime(data) } else { Cow::Borrowed(data) };
        let whole = (section.address(), section.size(), hash(&data));
        [whole.0, whole.1, whole.2].iter().fold(all, |all: u64, word| hash(&(all ^ word).to_le_bytes()))
    })
}

/// The texts of a dynamic program, where its search path for libraries does not say in which directory of ours the runtime lies.
fn without_runtime(texts: &[u8]) -> Cow<'_, [u8]> {
    let ours = |directory: &[u8]| {
        let name = directory.split(|byte| *byte == b'/').rfind(|part| !part.is_empty());
        name.is_some_and(|name| name.starts_with(b"rt-") && name.len() == library::FINGERPRINT.len() + 3)
    };
    if !texts.windows(4).any(|window| window == b"/rt-") {
        return Cow::Borrowed(texts);
    }
    let kept = texts.split(|byte| *byte == 0).map(|text| {
        let directories = text.split(|byte| *byte == b':').filter(|directory| !ours(directory));
        directories.collect::<Vec<_>>().join(&b':')
    });
    Cow::Owned(kept.collect::<Vec<_>>().join(&0))
}

/// FNV-1a over words: tells builds and inputs apart, nothing more.
pub fn hash(bytes: &[u8]) -> u64 {
    bytes.chunks(8).fold(0xcbf2_9ce4_8422_2325, |hash, chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        (hash ^ u64::from_le_bytes(word)).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(29)
    })
}

/// The files that a process has loaded, its executable first.
pub fn modules(process: u32) -> Vec<Module> {
    let maps = std::fs::read_to_string(format!("/proc/{process}/maps")).unwrap_or_default();
    let mut modules: Vec<Module> = Vec::new();
    for line in maps.lines() {
        let mut fields = line.splitn(6, ' ');
        let (Some(range), Some(path)) = (fields.next(), line.find('/').map(|at| &line[at..])) else { continue };
        let Some((from, to)) = range.split_once('-') else { continue };
        let (Ok(from), Ok(to)) = (u64::from_str_radix(from, 16), u64::from_str_radix(to, 16)) else { continue };
        match modules.iter_mut().find(|m| m.path == Path::new(path)) {
            Some(module) => module.end = module.end.max(to),
            None if path.starts_with("/memfd:") || path.starts_with("/dev/") => {}
            None => modules.push(Module { path: path.into(), base: from, end: to }),
        }
    }
    if let Ok(executable) = std::fs::read_link(format!("/proc/{process}/exe"))
        && let Some(at) = modules.iter().position(|m| m.path == executable)
    {
        modules.swap(0, at);
    }
    modules
}

#[cfg(test)]
mod tests {
    use super::{grouped, is_of_cpp_library, runtime_exports};
    use gabion_trace::known::{self, Known};
    use std::collections::BTreeSet;

    /// The sections of the table: (title, lines).
    fn marks() -> Vec<(&'static str, Vec<&'static str>)> {
        let mut sections: Vec<(&str, Vec<&str>)> = Vec::new();
        let lines = include_str!("../tests/marks.txt").lines();
        for line in lines.filter(|line| !line.is_empty() && !line.starts_with('#')) {
            match line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
                Some(title) => sections.push((title, Vec::new())),
                None => sections.last_mut().expect("a title comes first").1.push(line),
            }
        }
        sections
    }

    #[test]
    fn no_function_with_a_condition_of_thread_safety_is_harmless() {
        let exports = runtime_exports();
        let marked = marks().into_iter().find(|(title, _)| *title == "marked").expect("a section").1;
        assert!(marked.len() > 400, "only {} functions are marked", marked.len());
        for line in marked {
            let (name, marks) = line.split_once(": ").expect("a name and marks");
            let known = known::classify(name, exports.contains(name));
            assert_ne!(known, Known::Harmless, "{name} is harmless, but marked {marks}");
        }
    }

    #[test]
    fn what_is_harmless_is_marked_as_safe_or_has_a_reason() {
        let of = |wanted: fn(&str) -> bool| -> BTreeSet<&str> {
            let sections = marks().into_iter().filter(|(title, _)| wanted(title));
            sections.flat_map(|(_, lines)| lines).flat_map(str::split_whitespace).collect()
        };
        let (safe, other) = (of(|title| title == "safe"), of(|title| title.starts_with("other: ")));
        assert!(safe.is_disjoint(&other));
        let harmless: BTreeSet<&str> = known::harmless_names().collect();
        let listed: BTreeSet<&str> = safe.union(&other).copied().collect();
        let unlisted: Vec<_> = harmless.difference(&listed).collect();
        assert!(unlisted.is_empty(), "harmless without a reason in marks.txt: {unlisted:?}");
        let stale: Vec<_> = listed.difference(&harmless).collect();
        assert!(stale.is_empty(), "in marks.txt, but not harmless: {stale:?}");
    }

    #[test]
    fn functions_of_the_cpp_library_are_one_line() {
        let check = |symbols: &[&str], expected: &str| {
            let symbols: Vec<String> = symbols.iter().map(ToString::to_string).collect();
            assert!(symbols.iter().all(|symbol| is_of_cpp_library(symbol)));
            let line = grouped(&symbols.iter().collect::<Vec<_>>()).expect("a line");
            assert_eq!(line.split(", of the C++ library").next(), Some(expected));
        };
        let append = "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE6appendEPKc";
        let push_back = "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE9push_backEc";
        let next = "_ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base";
        check(&[append], "std::string::append");
        check(&[next, append], "std::string::append, std::_Rb_tree_increment");
        check(
            &["_ZNSolsEd", next, append, push_back],
            "std::ostream::operator<<, std::string::append, std::string::push_back and 1 more",
        );
        assert_eq!(grouped(&[]), None);
        assert!(!is_of_cpp_library("_ZN5queue4pushEi") && !is_of_cpp_library("inflate"));
    }
}
