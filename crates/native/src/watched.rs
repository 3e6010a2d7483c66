//! Calls of library functions that only a run can tell of.
//!
//! That an executable refers to a function does not say that this test, with this input, calls it. Where every reference goes
//! through a word that the loader fills, the runtime notes calls there (`runtime/calls.rs`). Functions whose address is also
//! part of data (a table of functions, a class of the C++ library) could be called past it, and are taken to be called.

use gabion_trace::shared::WATCHED_CALLS;
use object::elf::{
    DF_1_INITFIRST, DT_FLAGS_1, DT_PREINIT_ARRAYSZ, R_X86_64_GLOB_DAT, R_X86_64_IRELATIVE, R_X86_64_JUMP_SLOT,
    STT_GNU_IFUNC,
};
use object::read::elf::{Dyn, ProgramHeader};
use object::{LittleEndian, Object, ObjectSymbol, ObjectSymbolTable, RelocationFlags, RelocationTarget, SymbolKind};
use std::collections::{BTreeMap, BTreeSet};

/// Functions whose calls are noted, and the words through which they go, by their addresses in the file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Watched(BTreeMap<String, Vec<u32>>);

impl Watched {
    /// Those among `names` that can be, as far as there is room; none if code of the executable runs so early that nobody would note its
    /// calls (`is_early`).
    pub(crate) fn new(executable: &[u8], names: &BTreeSet<String>, is_early: bool) -> Self {
        let Some(file) = object::File::parse(executable).ok().filter(|_| !is_early) else { return Watched::default() };
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

/// Does the executable or library call something before the runtime has changed a word?
pub(crate) fn has_early_code(bytes: &[u8]) -> bool {
    object::read::elf::ElfFile64::<LittleEndian>::parse(bytes).is_ok_and(|file| early_code(&file))
}

/// Functions in `.preinit_array` run before those of any library; those of a library that asks to be first, before those of the runtime; and
/// functions that choose one of several for the loader (`STT_GNU_IFUNC`), while it fills words.
fn early_code(file: &object::read::elf::ElfFile64<'_, LittleEndian>) -> bool {
    let endian = LittleEndian;
    let entries = file.elf_program_headers().iter().find_map(|header| header.dynamic(endian, file.data()).ok()?);
    let asks = entries.unwrap_or_default().iter().any(|entry| {
        let value = entry.d_val(endian);
        match entry.tag32(endian) {
            Some(DT_PREINIT_ARRAYSZ) => value > 0,
            Some(DT_FLAGS_1) => value & u64::from(DF_1_INITFIRST) != 0,
            _ => false,
        }
    });
    let chooses = |relocation: &object::Relocation| {
        matches!(relocation.flags(), RelocationFlags::Elf { r_type: R_X86_64_IRELATIVE })
    };
    asks || file.dynamic_relocations().is_some_and(|mut all| all.any(|(_, relocation)| chooses(&relocation)))
        || file.dynamic_symbols().any(|symbol| is_chosen(&symbol))
}

fn is_chosen(symbol: &object::read::elf::ElfSymbol64<'_, '_, LittleEndian>) -> bool {
    symbol.elf_symbol().st_type() == STT_GNU_IFUNC && !symbol.is_undefined()
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
