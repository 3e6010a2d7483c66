//! What the linker wrote into the executable, as it lies in the file, and where the file lies in memory.

use crate::{aside, sys};
use gabion_trace::standard::{HEADER, MAGIC, MODEL, SECTION, SITE};
use gabion_trace::unwind::RULE;

unsafe extern "C" {
    // ABI: sys/auxv.h
    fn getauxval(kind: u64) -> u64;
}

const AT_PHDR: u64 = 3;

/// What to add to an address in the executable's file to get one in memory.
pub fn slide() -> u64 {
    const PT_PHDR: u32 = 6;
    // SAFETY: asks for a word of the kernel's list.
    let headers = unsafe { getauxval(AT_PHDR) };
    program_header(PT_PHDR).map_or(0, |(at, _)| headers.wrapping_sub(at))
}

/// Where in the executable's file the segment of a kind is to be, and how long it is.
pub fn program_header(kind: u32) -> Option<(u64, u64)> {
    program_headers().find(|header| header.0 == kind).map(|(.., at, length)| (at, length))
}

/// From the first to the last of the executable's code in memory.
pub fn code(slide: u64) -> (u64, u64) {
    const PT_LOAD: u32 = 1;
    const EXECUTABLE: u32 = 1;
    let code = || program_headers().filter(|(kind, flags, ..)| *kind == PT_LOAD && flags & EXECUTABLE != 0);
    let from = code().map(|(.., at, _)| at).min().unwrap_or(0);
    let to = code().map(|(.., at, length)| at + length).max().unwrap_or(0);
    (slide + from, slide + to)
}

/// Kind, flags, where it is to be, and how long it is.
fn program_headers() -> impl Iterator<Item = (u32, u32, u64, u64)> {
    const AT_PHNUM: u64 = 5;
    const ENTRY: u64 = 56;
    // SAFETY: the kernel's list, and the program headers that it names.
    unsafe {
        let headers = getauxval(AT_PHDR);
        (0..getauxval(AT_PHNUM)).map(move |i| {
            let at = headers + i * ENTRY;
            let (kind, flags) = (*(at as *const u32), *((at + 4) as *const u32));
            (kind, flags, *((at + 16) as *const u64), *((at + 40) as *const u64))
        })
    }
}

/// The section of our own executable, kept where no reset touches it.
pub fn read_section() -> Option<&'static [u32]> {
    // SAFETY: opens our own file; the descriptor is closed again below.
    let file = unsafe { sys::call(sys::OPEN, c"/proc/self/exe".as_ptr() as u64, 0o2000000, 0) };
    let found = (file >= 0).then(|| find_section(file as u64)).flatten();
    let (offset, length) = found.unwrap_or((0, 0));
    let at = aside::take(length);
    let complete = found.is_some() && read(file as u64, offset, at, length);
    // SAFETY: as above.
    unsafe { sys::call(sys::CLOSE, file as u64, 0, 0) };
    // SAFETY: filled above, aligned, and never changed again.
    let words = unsafe { core::slice::from_raw_parts(at as *const u32, length as usize / 4) };
    let whole = |w: &[u32]| {
        let known = |w: &[u32]| HEADER + w[1] as usize * SITE + w[2] as usize * MODEL;
        w.len() >= HEADER && w.len().checked_sub(known(w)).is_some_and(|rest| rest.is_multiple_of(RULE))
    };
    (complete && whole(words) && words[0] == MAGIC).then_some(words)
}

/// Where in the file the section is, and how long.
fn find_section(file: u64) -> Option<(u64, u64)> {
    let mut header = [0u8; 64];
    read(file, 0, header.as_mut_ptr() as u64, 64).then_some(())?;
    let number =
        |bytes: &[u8], at: usize, n: usize| bytes[at..at + n].iter().rev().fold(0u64, |v, b| v << 8 | u64::from(*b));
    let (table, count, names) = (number(&header, 40, 8), number(&header, 60, 2), number(&header, 62, 2));
    let section = |index: u64| -> Option<[u8; 64]> {
        let mut bytes = [0u8; 64];
        read(file, table + index * 64, bytes.as_mut_ptr() as u64, 64).then_some(bytes)
    };
    let names = number(&section(names)?, 24, 8);
    (0..count).rev().find_map(|index| {
        let entry = section(index)?;
        let mut name = [0u8; 16];
        let wanted = SECTION.as_bytes();
        read(file, names + number(&entry, 0, 4), name.as_mut_ptr() as u64, wanted.len() as u64 + 1).then_some(())?;
        let same = &name[..wanted.len()] == wanted && name[wanted.len()] == 0;
        same.then(|| (number(&entry, 24, 8), number(&entry, 32, 8)))
    })
}

fn read(file: u64, offset: u64, to: u64, length: u64) -> bool {
    const PREAD: i64 = 17;
    // SAFETY: reads into memory that the caller gives.
    unsafe { sys::call6(PREAD, file, to, length, offset, 0, 0) == length as i64 }
}
