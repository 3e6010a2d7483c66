//! Which functions a program's own code reaches otherwise than through a test framework.
//!
//! Relocations say who refers to whom: a call, an address that is taken, an entry of a table. What only a framework's functions
//! refer to is the framework's: helpers without a namespace, instances of the C++ library's templates, what it imports. The
//! graph knows no values, so it reaches too much rather than too little. What frameworks call back (test bodies, comparisons
//! and printers of the program's types) is the program's by its own name, whoever refers to it.

use std::collections::{BTreeSet, HashMap, HashSet};

use object::read::elf::{ElfFile64, ElfSection64};
use object::{
    LittleEndian, Object, ObjectSection, ObjectSymbol, RelocationTarget, SectionFlags, SectionIndex, SectionKind,
    SymbolKind,
};

use super::frameworks;

type Elf<'data> = ElfFile64<'data, LittleEndian>;

/// Whose an object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Owner {
    Program,
    Framework,
    /// A framework's, and not instrumented.
    Prebuilt,
}

/// A function, a variable, or what of a section has no name. Those that only their object knows carry its number.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Node {
    Global(String),
    Local(usize, String),
    Section(usize, SectionIndex),
}

/// Who refers to whom in all objects of a link. Of what several objects define, the first one's is linked.
#[derive(Debug, Default)]
pub(super) struct Graph {
    /// Which object's code or data has a name.
    defined: HashMap<String, usize>,
    /// By object: a framework's that is not instrumented.
    foreign: Vec<bool>,
    edges: HashMap<Node, HashSet<Node>>,
    roots: Vec<Node>,
    undefined: BTreeSet<String>,
    frameworks: BTreeSet<&'static str>,
}

/// What was found.
#[derive(Debug, Default)]
pub(super) struct Reached {
    /// Names of all that is reached.
    names: HashSet<String>,
    /// Frameworks that there are.
    pub(super) frameworks: BTreeSet<&'static str>,
    /// Imports that only frameworks need.
    pub(super) spared: BTreeSet<String>,
    /// Functions that the program calls, of which the linker took a framework's copy that is not instrumented.
    pub(super) borrowed: BTreeSet<String>,
}

impl Reached {
    /// Does a caveat at this place (`file:line in function: …`) concern frameworks only?
    pub(super) fn spares(&self, place: &str) -> bool {
        let function = place.split_once(" in ").map(|(_, rest)| rest.split(':').next().unwrap_or(rest));
        !self.frameworks.is_empty()
            && (frameworks::is_source(place) || function.is_some_and(|function| !self.names.contains(function)))
    }
}

/// The pieces of an object that have names: where they begin and end in their section.
struct Pieces(HashMap<SectionIndex, Vec<(u64, u64, Node)>>);

/// How far a relocation may point before what it means: an instruction's offset is counted from its end.
const AHEAD: i64 = 8;

impl Pieces {
    /// What is at these offsets of a section; the rest of the section, if nothing there has a name.
    fn at(&self, object: usize, section: SectionIndex, first: i64, last: i64) -> Vec<Node> {
        let all = self.0.get(&section).into_iter().flatten();
        let overlaps = |piece: &&(u64, u64, Node)| (piece.0 as i64) <= last && first < piece.1 as i64;
        let found: Vec<Node> = all.filter(overlaps).map(|(_, _, node)| node.clone()).collect();
        if found.is_empty() { vec![Node::Section(object, section)] } else { found }
    }
}

impl Graph {
    /// Adds the next object in the order of linking; what is none has nothing to add.
    pub(super) fn add(&mut self, bytes: &[u8], owner: Owner) {
        let Ok(elf) = Elf::parse(bytes) else { return };
        if elf.elf_header().e_type.get(LittleEndian) != object::elf::ET_REL {
            return;
        }
        let object = self.foreign.len();
        self.foreign.push(owner == Owner::Prebuilt);
        let pieces = self.names(&elf, object, owner);
        for section in elf.sections().filter(is_loaded) {
            let index = section.index();
            if owner == Owner::Program && is_started(&section) {
                self.roots.push(Node::Section(object, index));
            }
            for (offset, relocation) in section.relocations() {
                let RelocationTarget::Symbol(symbol) = relocation.target() else { continue };
                let Ok(symbol) = elf.symbol_by_index(symbol) else { continue };
                let addend = relocation.addend();
                let to = match (symbol.kind(), symbol.section_index()) {
                    (SymbolKind::Section, Some(target)) => pieces.at(object, target, addend, addend + AHEAD),
                    _ => vec![node(object, &symbol)],
                };
                let pieces = pieces.at(object, index, offset as i64, offset as i64).into_iter();
                for from in pieces.filter(|from| !matches!(from, Node::Global(name) if self.defined[name] != object)) {
                    self.edges.entry(from).or_default().extend(to.iter().cloned());
                }
            }
        }
    }

    /// Notes what an object defines and needs.
    fn names(&mut self, elf: &Elf<'_>, object: usize, owner: Owner) -> Pieces {
        let mut pieces = Pieces(HashMap::new());
        for symbol in elf.symbols().filter(|s| !matches!(s.kind(), SymbolKind::Section | SymbolKind::File)) {
            let name = symbol.name().unwrap_or_default();
            if symbol.is_undefined() {
                self.undefined.insert(name.to_owned());
                continue;
            }
            let framework = frameworks::of_symbol(name);
            self.frameworks.extend(framework);
            let node = node(object, &symbol);
            if owner == Owner::Program && framework.is_none() && !is_instance(name) {
                self.roots.push(node.clone());
            }
            if !symbol.is_local() {
                self.defined.entry(name.to_owned()).or_insert(object);
            }
            if let Some(section) = symbol.section_index() {
                let (from, to) = (symbol.address(), symbol.address() + symbol.size().max(1));
                pieces.0.entry(section).or_default().push((from, to, node));
            }
        }
        pieces
    }

    /// Follows references from the program's own code, as far as frameworks.
    pub(super) fn reached(self) -> Reached {
        let mut seen: HashSet<&Node> = self.roots.iter().collect();
        let mut left: Vec<&Node> = self.roots.iter().collect();
        while let Some(node) = left.pop() {
            let next = self.edges.get(node).filter(|_| !is_framework(node)).into_iter().flatten();
            left.extend(next.filter(|node| seen.insert(node)));
        }
        let name = |node: &&Node| match node {
            Node::Global(name) | Node::Local(_, name) => Some(name.clone()),
            Node::Section(..) => None,
        };
        let names: HashSet<String> = seen.iter().filter_map(name).collect();
        let foreign = |name: &&String| self.defined.get(*name).is_some_and(|object| self.foreign[*object]);
        let code = |name: &&String| !["_ZT", "_ZGV", "DW.ref."].iter().any(|start| name.starts_with(start));
        let borrowed = names.iter().filter(foreign).filter(code).filter(|name| frameworks::of_symbol(name).is_none());
        let borrowed = borrowed.filter(|name| *name != "main").cloned().collect();
        let spared = if self.frameworks.is_empty() { BTreeSet::new() } else { self.undefined };
        let spared = spared.into_iter().filter(|name| !names.contains(name)).collect();
        Reached { names, frameworks: self.frameworks, spared, borrowed }
    }
}

fn node<'data>(object: usize, symbol: &impl ObjectSymbol<'data>) -> Node {
    let name = symbol.name().unwrap_or_default().to_owned();
    if symbol.is_local() { Node::Local(object, name) } else { Node::Global(name) }
}

fn is_framework(node: &Node) -> bool {
    matches!(node, Node::Global(name) | Node::Local(_, name) if frameworks::of_symbol(name).is_some())
}

/// Code and data, but not the tables of unwinding: these name every function.
fn is_loaded(section: &ElfSection64<'_, '_, LittleEndian>) -> bool {
    let SectionFlags::Elf { sh_flags } = section.flags() else { return false };
    let name = section.name().unwrap_or_default();
    let unwinding = name.starts_with(".eh_frame") || name.starts_with(".gcc_except_table");
    sh_flags & u64::from(object::elf::SHF_ALLOC) != 0 && !unwinding && section.kind() != SectionKind::Note
}

/// Does the loader start what it lists?
fn is_started(section: &ElfSection64<'_, '_, LittleEndian>) -> bool {
    let name = section.name().unwrap_or_default();
    [".init", ".fini", ".preinit", ".ctors", ".dtors"].iter().any(|start| name.starts_with(start))
}

/// Is it an instance of the C++ library's templates, which is there because somebody refers to it?
fn is_instance(symbol: &str) -> bool {
    let rest = symbol.strip_prefix("_Z").unwrap_or_default();
    let rest = rest.trim_start_matches(|letter: char| letter.is_ascii_uppercase() && letter != 'S');
    rest.starts_with('S') || rest.starts_with("9__gnu_cxx")
}
