//! Calls of library functions that only a run can tell of.
//!
//! That an executable refers to a function does not say that this test, with this input, calls it. Where every reference goes
//! through a word that the loader fills, the runtime notes calls there (`runtime/calls.rs`). Functions whose address is also
//! part of data (a table of functions, a class of the C++ library) could be called past it, and are taken to be called.

use gabion_trace::shared::WATCHED_CALLS;
use object::elf::{R_X86_64_GLOB_DAT, R_X86_64_JUMP_SLOT};
use object::{Object, ObjectSection, ObjectSymbol, ObjectSymbolTable, RelocationFlags, RelocationTarget, SymbolKind};
use std::collections::{BTreeMap, BTreeSet};

/// Functions whose calls are noted, and the words through which they go, by their addresses in the file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Watched(BTreeMap<String, Vec<u32>>);

impl Watched {
    /// Those among `names` that can be, as far as there is room.
    pub(crate) fn new(executable: &[u8], names: &BTreeSet<String>) -> Self {
        let Ok(file) = object::File::parse(executable) else { return Watched::default() };
        if early_code(&file) {
            return Watched::default();
        }
        let references = references(&file);
        let mut room = WATCHED_CALLS;
        let mut watched = BTreeMap::new();
        for name in names {
            if let Some(Some(slots)) = references.get(name)
                && let Some(left) = room.checked_sub(slots.len())
            {
                room = left;
                watched.insert(name.clone(), slots.clone());
            }
        }
        Watched(watched)
    }

    /// The words.
    pub(crate) fn slots(&self) -> impl Iterator<Item = u32> {
        self.0.values().flatten().copied()
    }

    /// The functions.
    pub(crate) fn names(&self) -> impl Iterator<Item = &String> {
        self.0.keys()
    }

    /// Is it one of them?
    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }
}

/// Does the executable call something before the runtime has changed a word?
pub(crate) fn has_early_code(executable: &[u8]) -> bool {
    object::File::parse(executable).is_ok_and(|file| early_code(&file))
}

fn early_code(file: &object::File<'_>) -> bool {
    file.section_by_name(".preinit_array").is_some_and(|section| section.size() > 0)
}

/// By function: the words that the loader fills with its address; none, if there are other references.
fn references(file: &object::File<'_>) -> BTreeMap<String, Option<Vec<u32>>> {
    let mut found: BTreeMap<String, Option<Vec<u32>>> = BTreeMap::new();
    let Some((symbols, relocations)) = file.dynamic_symbol_table().zip(file.dynamic_relocations()) else {
        return found;
    };
    for (at, relocation) in relocations {
        let RelocationTarget::Symbol(index) = relocation.target() else { continue };
        let Ok(symbol) = symbols.symbol_by_index(index) else { continue };
        let Ok(name) = symbol.name() else { continue };
        let through =
            matches!(relocation.flags(), RelocationFlags::Elf { r_type: R_X86_64_GLOB_DAT | R_X86_64_JUMP_SLOT });
        let slot = u32::try_from(at).ok().filter(|_| through && symbol.kind() == SymbolKind::Text);
        let slots = found.entry(name.to_owned()).or_insert_with(|| Some(Vec::new()));
        match slot {
            Some(slot) => slots.iter_mut().for_each(|slots| slots.push(slot)),
            None => *slots = None,
        }
    }
    found
}
