//! What an executable or shared library says about how it was built.

use std::fs;
use std::path::Path;

use gabion_trace::known::LIBRARIES;
use gabion_trace::{Caveat, CaveatKind};
use object::elf::{DF_1_PIE, DT_FLAGS_1, DT_NEEDED, EM_X86_64, ET_DYN, ET_EXEC, FileHeader64};
use object::endian::LittleEndian;
use object::read::elf::{Dyn, ElfFile64, FileHeader, ProgramHeader};
use object::{FileKind, Object, ObjectSection, ObjectSymbol};

use super::BuildError;
use super::stamp::{self, LINK};

/// An examined executable or shared library.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inspection {
    /// Linked by our linker.
    pub built_by_gabion: bool,
    /// What in it was not instrumented; all of it, if not built by us.
    pub caveats: Vec<Caveat>,
    /// What is one too if threads touch each other's stacks: variables there that are touched unannounced.
    pub on_stack: Vec<Caveat>,
    /// Where it uses hardware transactions.
    pub transactions: Vec<String>,
    /// The Rust standard library in it.
    pub standard_library: Option<InStandard>,
    /// Undefined dynamic symbols: what it calls in others, trusted code and test frameworks in it aside.
    pub imports: Vec<String>,
    /// Shared libraries it asks for, in order.
    pub needed: Vec<String>,
}

/// How the Rust standard library in a program was compiled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InStandard {
    /// Like the program.
    Rebuilt,
    /// As it came with the compiler: why.
    Prebuilt(String),
}

/// Is it one of the libraries that every verdict trusts, by its name? (The kernel's own and our runtime included.)
pub fn is_trusted_library(name: &str) -> bool {
    let name = name.rsplit('/').next().unwrap_or(name);
    name == crate::library::RUNTIME_NAME
        || name.starts_with("linux-vdso.so.")
        || LIBRARIES.iter().any(|trusted| name.starts_with(trusted))
}

/// Examines an executable or shared library.
pub fn inspect(path: &Path) -> Result<Inspection, BuildError> {
    let bytes = fs::read(path).map_err(BuildError::io("cannot read", path))?;
    match FileKind::parse(&*bytes) {
        Ok(FileKind::Elf64) => {}
        Ok(FileKind::Elf32) => return Err(BuildError::WrongArchitecture(path.to_owned())),
        _ => return Err(BuildError::NotElf(path.to_owned())),
    }
    let header = FileHeader64::<object::Endianness>::parse(&*bytes).map_err(|_| BuildError::NotElf(path.to_owned()))?;
    let endian = header.endian().map_err(|_| BuildError::NotElf(path.to_owned()))?;
    if header.e_machine(endian) != EM_X86_64 {
        return Err(BuildError::WrongArchitecture(path.to_owned()));
    }
    if ![ET_EXEC, ET_DYN].contains(&header.e_type(endian)) {
        return Err(BuildError::NotElf(path.to_owned()));
    }
    let malformed = |error: object::Error| BuildError::Malformed { path: path.to_owned(), why: error.to_string() };
    let elf = ElfFile64::<LittleEndian>::parse(&*bytes).map_err(malformed)?;
    let dynamic = dynamic(&elf).map_err(malformed)?.ok_or_else(|| BuildError::StaticExecutable(path.to_owned()))?;
    let mut imports: Vec<String> = elf
        .dynamic_symbols()
        .filter(|symbol| symbol.is_undefined())
        .filter_map(|symbol| symbol.name().ok().filter(|name| !name.is_empty()).map(str::to_owned))
        .collect();
    let mut on_stack = Vec::new();
    let (mut why_prebuilt, mut standard_sum, mut transactions) = (None, None, Vec::new());
    let (built_by_gabion, caveats) = match elf.section_by_name(LINK) {
        Some(section) => {
            let records = stamp::decode(section.data().map_err(malformed)?)
                .map_err(|why| BuildError::Malformed { path: path.to_owned(), why })?;
            imports.retain(|name| !records.iter().any(|record| record.trusted_calls.contains(name)));
            let places = records.iter().flat_map(|record| record.on_stack.iter().cloned());
            on_stack.extend(places.map(|place| Caveat { kind: CaveatKind::UninstrumentedFunction, place }));
            imports.retain(|name| !records.iter().any(|record| record.spared.contains(name)));
            transactions.extend(records.iter().flat_map(|record| record.transactions.iter().cloned()));
            why_prebuilt = records.iter().find_map(|record| record.why_prebuilt.clone());
            standard_sum = records.iter().find_map(|record| record.standard);
            (true, records.into_iter().flat_map(|record| record.caveats).collect())
        }
        None => {
            let kind =
                if dynamic.executable { CaveatKind::UninstrumentedObject } else { CaveatKind::UninstrumentedLibrary };
            (false, vec![Caveat { kind, place: path.display().to_string() }])
        }
    };
    let standard_section = elf.section_by_name(gabion_trace::standard::SECTION);
    let sum =
        standard_section.as_ref().map(|section| section.data().map(crc32fast::hash)).transpose().map_err(malformed)?;
    if built_by_gabion && sum != standard_sum {
        let why = "what gabion wrote in it about the Rust standard library is damaged: build it again".to_owned();
        return Err(BuildError::Malformed { path: path.to_owned(), why });
    }
    let standard_library = standard_section.map(|_| why_prebuilt.map_or(InStandard::Rebuilt, InStandard::Prebuilt));
    let needed = dynamic.needed;
    Ok(Inspection { built_by_gabion, caveats, on_stack, transactions, standard_library, imports, needed })
}

struct Dynamic {
    executable: bool,
    needed: Vec<String>,
}

/// The dynamic section; none in a static program (a static position-independent one has a section, but no loader).
fn dynamic(elf: &ElfFile64<'_, LittleEndian>) -> object::Result<Option<Dynamic>> {
    let header = elf.elf_header();
    let sections = elf.elf_section_table();
    let Some((entries, strings)) = sections.dynamic(LittleEndian, elf.data())? else { return Ok(None) };
    let strings = sections.strings(LittleEndian, elf.data(), strings)?;
    let mut found = Dynamic { executable: header.e_type(LittleEndian) == ET_EXEC, needed: Vec::new() };
    for entry in entries {
        match entry.tag32(LittleEndian) {
            Some(DT_NEEDED) => found.needed.push(String::from_utf8_lossy(entry.string(LittleEndian, strings)?).into()),
            Some(DT_FLAGS_1) => found.executable |= entry.d_val(LittleEndian) & u64::from(DF_1_PIE) != 0,
            _ => {}
        }
    }
    let interpreted = elf.elf_program_headers().iter().any(|p| p.p_type(LittleEndian) == object::elf::PT_INTERP);
    Ok((!found.executable || interpreted).then_some(found))
}
