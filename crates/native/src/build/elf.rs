//! Reading and writing the few parts of ELF files that matter here.
//!
//! A section is added by appending its bytes, a longer table of names and a longer table of sections, and by pointing
//! the header at these: nothing that is loaded moves, whichever linker wrote the file. (`objcopy` would do it too, but
//! lays the whole file out anew.)

use std::path::Path;

use object::elf::{ET_REL, FileHeader64, SectionHeader64};
use object::endian::{LittleEndian, U32, U64};
use object::read::elf::{ElfFile64, FileHeader};
use object::{Object, ObjectSection, ObjectSymbol, SectionFlags, SymbolKind, pod};

use super::stamp::{self, Record, STAMP};

type Elf<'data> = ElfFile64<'data, LittleEndian>;

/// Bytes of a section header, and of the file header up to its `e_shoff` and `e_shnum`.
const SECTION_HEADER: usize = 64;
const E_SHOFF: usize = 40;
const E_SHNUM: usize = 60;
/// Section counts from here on are stored elsewhere; no program has that many.
const MOST_SECTIONS: u16 = 0xff00;

/// What rustc says of itself in an object.
const RUSTC: &[u8] = b"rustc version ";
/// A function that the instrumentation adds to every object.
const INSTRUMENTED: &str = "tsan.module_ctor";
/// Part of the names of functions that rustc makes to reach the allocator.
const ALLOCATOR: &str = "___rustc";

/// An object file as the linker meets it.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// Instrumented throughout, with what its records say.
    Stamped(Vec<Record>),
    /// Has code of which we know nothing. The name is that of its source, if it tells.
    Unstamped(Option<String>),
    /// Nothing that runs.
    NoCode,
    /// A shared library, a linker script, anything but an object.
    NotAnObject,
}

/// What an object file says about itself.
pub(super) fn part(bytes: &[u8]) -> Result<Part, String> {
    let Ok(elf) = Elf::parse(bytes) else { return Ok(Part::NotAnObject) };
    if elf.elf_header().e_type(LittleEndian) != ET_REL {
        return Ok(Part::NotAnObject);
    }
    let sources: Vec<&str> =
        elf.symbols().filter(|s| s.kind() == SymbolKind::File).filter_map(|s| s.name().ok()).collect();
    if let Some(section) = elf.section_by_name(STAMP) {
        let records = stamp::decode(section.data().map_err(|error| error.to_string())?)?;
        // Every unit has one file symbol. More of them than records: another linker has joined it with strangers.
        if sources.len() <= records.len() {
            return Ok(Part::Stamped(records));
        }
    }
    if is_rust(&elf) {
        return Ok(Part::Stamped(vec![Record::default()]));
    }
    let runs = elf.sections().any(|section| match section.flags() {
        SectionFlags::Elf { sh_flags } => sh_flags & u64::from(object::elf::SHF_EXECINSTR) != 0 && section.size() > 0,
        _ => false,
    });
    Ok(if runs { Part::Unstamped(sources.first().map(|name| (*name).to_owned())) } else { Part::NoCode })
}

/// Was it compiled by an instrumenting rustc? Whose allocator functions, a few jumps each, come in an object of their own.
fn is_rust(elf: &Elf<'_>) -> bool {
    let made = elf.section_by_name(".comment").and_then(|section| section.data().ok());
    let by_rustc = made.is_some_and(|text| text.windows(RUSTC.len()).any(|words| words == RUSTC));
    let mut functions =
        elf.symbols().filter(|s| s.kind() == SymbolKind::Text && !s.is_undefined()).filter_map(|s| s.name().ok());
    by_rustc && (elf.symbol_by_name(INSTRUMENTED).is_some() || functions.all(|name| name.contains(ALLOCATOR)))
}

/// Does an object announce what it does?
pub(super) fn is_instrumented(bytes: &[u8]) -> bool {
    Elf::parse(bytes).is_ok_and(|elf| elf.symbol_by_name(INSTRUMENTED).is_some())
}

/// What an object refers to and does not define.
pub(super) fn undefined(bytes: &[u8]) -> Vec<String> {
    let Ok(elf) = Elf::parse(bytes) else { return Vec::new() };
    let missing = elf.symbols().filter(|symbol| symbol.is_undefined());
    missing.filter_map(|symbol| symbol.name().ok().map(str::to_owned)).collect()
}

/// Data that an object defines for others in sections that nobody writes.
pub(super) fn constants(bytes: &[u8]) -> Vec<String> {
    let Ok(elf) = Elf::parse(bytes) else { return Vec::new() };
    let is_constant = |symbol: &object::read::elf::ElfSymbol64<'_, '_, LittleEndian>| {
        let section = symbol.section_index().and_then(|index| elf.section_by_index(index).ok());
        section.is_some_and(|section| match section.flags() {
            SectionFlags::Elf { sh_flags } => {
                let moved = section.name().is_ok_and(|name| name.starts_with(".data.rel.ro"));
                moved || sh_flags & u64::from(object::elf::SHF_WRITE) == 0
            }
            _ => false,
        })
    };
    let defined = elf.symbols().filter(|symbol| symbol.is_global() && !symbol.is_undefined());
    defined.filter(is_constant).filter_map(|symbol| symbol.name().ok().map(str::to_owned)).collect()
}

/// The file with a section of that name holding `data`, replacing one it has.
pub(super) fn with_section(file: &[u8], name: &str, data: &[u8]) -> Result<Vec<u8>, String> {
    let damaged = |_| "damaged section table".to_owned();
    let header = FileHeader64::<LittleEndian>::parse(file).map_err(damaged)?;
    let names = usize::from(header.e_shstrndx.get(LittleEndian));
    let count = header.e_shnum.get(LittleEndian);
    let mut sections: Vec<SectionHeader64<LittleEndian>> =
        header.section_headers(LittleEndian, file).map_err(damaged)?.to_vec();
    if count == 0 || count >= MOST_SECTIONS - 1 || names >= sections.len() {
        return Err("too many sections, or none".to_owned());
    }
    let mut strings = bytes_of(file, &sections[names]).ok_or("damaged table of section names")?.to_vec();
    let wanted = [name.as_bytes(), b"\0"].concat();
    let existing = sections.iter().position(|section| {
        strings.get(section.sh_name.get(LittleEndian) as usize..).is_some_and(|rest| rest.starts_with(&wanted))
    });

    let mut output = file.to_vec();
    let at = existing.unwrap_or_else(|| {
        sections.push(empty_section(strings.len() as u32));
        strings.extend_from_slice(&wanted);
        sections.len() - 1
    });
    place(&mut output, &mut sections[at], data);
    place(&mut output, &mut sections[names], &strings);
    output.resize(output.len().next_multiple_of(8), 0);
    let table = output.len() as u64;
    for section in &sections {
        output.extend_from_slice(pod::bytes_of(section));
    }
    output[E_SHOFF..E_SHOFF + 8].copy_from_slice(&table.to_le_bytes());
    output[E_SHNUM..E_SHNUM + 2].copy_from_slice(&(sections.len() as u16).to_le_bytes());
    assert_eq!(size_of::<SectionHeader64<LittleEndian>>(), SECTION_HEADER, "internal error: layout of ELF");
    Ok(output)
}

fn bytes_of<'f>(file: &'f [u8], section: &SectionHeader64<LittleEndian>) -> Option<&'f [u8]> {
    let start = usize::try_from(section.sh_offset.get(LittleEndian)).ok()?;
    let size = usize::try_from(section.sh_size.get(LittleEndian)).ok()?;
    file.get(start..start.checked_add(size)?)
}

fn place(output: &mut Vec<u8>, section: &mut SectionHeader64<LittleEndian>, data: &[u8]) {
    section.sh_offset = U64::new(LittleEndian, output.len() as u64);
    section.sh_size = U64::new(LittleEndian, data.len() as u64);
    output.extend_from_slice(data);
}

/// Not loaded, no flags.
fn empty_section(name: u32) -> SectionHeader64<LittleEndian> {
    let none = U64::new(LittleEndian, 0);
    SectionHeader64 {
        sh_name: U32::new(LittleEndian, name),
        sh_type: U32::new(LittleEndian, object::elf::SHT_PROGBITS),
        sh_flags: none,
        sh_addr: none,
        sh_offset: none,
        sh_size: none,
        sh_link: U32::new(LittleEndian, 0),
        sh_info: U32::new(LittleEndian, 0),
        sh_addralign: U64::new(LittleEndian, 1),
        sh_entsize: none,
    }
}
/// Is it an object without code, for a linker that compiles: LLVM's bitcode, or gcc's slim objects?
pub(super) fn is_unfinished(path: &Path) -> bool {
    let Ok(bytes) = std::fs::read(path) else { return false };
    let slim =
        || object::File::parse(&*bytes).is_ok_and(|file| file.symbols().any(|s| s.name() == Ok("__gnu_lto_slim")));
    bytes.starts_with(b"BC\xc0\xde") || bytes.starts_with(b"\x7fELF") && slim()
}
