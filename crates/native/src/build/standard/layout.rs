//! Where the library keeps what the models look at, as far as symbols and instructions say.

use super::Made;
use super::names::{CURRENT, plain};
use object::{Object, ObjectSegment, ObjectSymbol, SymbolKind};

/// How far below the thread pointer the word for the current thread lies.
pub(super) fn current(file: &object::File<'_>) -> Option<u32> {
    let named = |symbol: &object::Symbol<'_, '_>| symbol.name().is_ok_and(|name| plain(name).starts_with(CURRENT));
    let symbol = file.symbols().filter(|symbol| symbol.kind() == SymbolKind::Tls).find(named)?;
    let object::File::Elf64(elf) = file else { return None };
    let endian = object::Endianness::Little;
    let storage = elf.elf_program_headers().iter().find(|header| header.p_type.get(endian) == object::elf::PT_TLS)?;
    let size = storage.p_memsz.get(endian).next_multiple_of(storage.p_align.get(endian).max(1));
    u32::try_from(size.checked_sub(symbol.address())?).ok()
}

/// The word that a thread parks on is the one that `park` counts down first: `lock dec dword ptr [register + offset]`, or the same
/// as a call with the arguments 1 and acquire, before which the word's address was last computed.
pub(super) fn parker(file: &object::File<'_>, made: Made, (from, size, name): &(u64, u64, String)) -> Option<u32> {
    let parks =
        name.starts_with("std::thread::thread::Thread::park") || name.starts_with("std::thread::functions::park");
    let segment = file.segments().filter(|_| parks).find(|s| (s.address()..s.address() + s.size()).contains(from))?;
    let code = segment.data_range(*from, *size).ok()??;
    const COUNTS_DOWN: [u8; 11] = [0xbe, 1, 0, 0, 0, 0xba, 2, 0, 0, 0, 0xe8];
    let end = match made {
        Made::Prebuilt => code.len(),
        Made::Rebuilt => code.windows(COUNTS_DOWN.len()).position(|bytes| bytes == COUNTS_DOWN)?,
    };
    let mut found = code[..end].windows(4).filter_map(|bytes| match (made, bytes) {
        (Made::Prebuilt, [0xf0, 0xff, 0x48..=0x4b | 0x4d..=0x4f, offset]) => Some(u32::from(*offset)),
        // lea of a register and eight bits, or their addition to it; the stack pointer aside
        (Made::Rebuilt, [0x48 | 0x49 | 0x4c | 0x4d, 0x8d, kind @ 0x40..=0x7f, offset]) if kind & 7 != 4 => {
            Some(u32::from(*offset))
        }
        (Made::Rebuilt, [0x48, 0x83, 0xc0..=0xc3 | 0xc5..=0xc7, offset] | [0x49, 0x83, 0xc0..=0xc7, offset]) => {
            Some(u32::from(*offset))
        }
        _ => None,
    });
    if made == Made::Prebuilt { found.next() } else { found.next_back() }
}
