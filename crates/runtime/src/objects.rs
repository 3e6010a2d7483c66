//! What the loader has loaded: the executable first, then libraries, in its order.

use crate::places::PAGE;
use core::ffi::{CStr, c_char, c_int, c_void};
use core::ops::Range;

// ABI: link.h, the part that libraries may use.
#[repr(C)]
struct LinkMap {
    _address: u64,
    _name: u64,
    _dynamic: u64,
    next: *const LinkMap,
}

// ABI: link.h.
#[repr(C)]
struct Debug {
    _version: c_int,
    map: *const LinkMap,
}

/// An object. ABI: `struct dl_phdr_info` of link.h.
#[repr(C)]
pub struct Object {
    /// What to add to an address in its file.
    pub slide: u64,
    name: *const c_char,
    headers: *const [u64; 7],
    count: u16,
    _counters: [u64; 2],
    /// Of its thread-local storage; 0: it has none.
    pub module: u64,
    /// The running thread's; 0: the thread has none of it yet.
    pub storage: u64,
}

/// A relocation that names a symbol.
pub struct Reference {
    /// What the loader fills.
    pub place: u64,
    /// ABI: elf.h, `R_X86_64_*`.
    pub kind: u32,
    /// ABI: elf.h, `STT_*`.
    pub symbol_kind: u64,
    /// Number that the loader adds to the symbol's address.
    pub addend: u64,
    /// A zero byte follows it.
    pub name: &'static [u8],
}

type Each = unsafe extern "C" fn(*const Object, usize, *mut c_void) -> c_int;

unsafe extern "C" {
    // ABI: link.h.
    static _r_debug: Debug;
    fn dl_iterate_phdr(each: Each, data: *mut c_void) -> c_int;
}

impl Object {
    fn path(&self) -> &'static [u8] {
        // SAFETY: a string of the loader's, which stays for as long as the object does.
        unsafe { CStr::from_ptr(self.name) }.to_bytes()
    }

    /// The name of its file, without where it is.
    pub fn name(&self) -> &'static [u8] {
        &self.path()[self.directory().len()..]
    }

    /// Where its file is, with the slash at the end.
    pub fn directory(&self) -> &'static [u8] {
        let path = self.path();
        &path[..path.iter().rposition(|byte| *byte == b'/').map_or(0, |slash| slash + 1)]
    }

    /// Its program headers. ABI: `Elf64_Phdr` of elf.h; kind and flags share the first word.
    fn headers(&self) -> &[[u64; 7]] {
        // SAFETY: a table of the loader's.
        unsafe { core::slice::from_raw_parts(self.headers, self.count.into()) }
    }

    /// The entries of its dynamic section: what it is about, and the value.
    pub fn dynamic(&self) -> &[(u64, u64)] {
        const DYNAMIC: u32 = 2;
        let found = self.headers().iter().find(|header| header[0] as u32 == DYNAMIC);
        let Some([_, _, at, _, _, length, _]) = found else { return &[] };
        // SAFETY: the section that a header names: whole entries of two words.
        unsafe { core::slice::from_raw_parts((self.slide + at) as *const (u64, u64), *length as usize / 16) }
    }

    /// Where its instructions are.
    pub fn code(&self) -> Range<u64> {
        const LOAD: u32 = 1;
        const EXECUTABLE: u64 = 1 << 32;
        let found = self.headers().iter().find(|header| header[0] as u32 == LOAD && header[0] & EXECUTABLE != 0);
        let Some([_, _, at, _, _, length, _]) = found else { return 0..0 };
        self.slide + at..self.slide + at + length
    }
}

impl Object {
    /// What the object defines under this name, in the version that is meant where none is asked for; 0: nothing. A function that
    /// depends on the processor is asked for.
    // ABI: elf.h, Elf64_Sym: name, info, other, section; value, size. DT_VERSYM: two bytes for each symbol, the highest bit of which is set in
    // versions that have to be asked for. DT_GNU_HASH: four words (lists, first symbol, words of a filter, its shift), the filter, where
    // each list begins, and a hash for each symbol whose lowest bit ends a list.
    pub fn symbol(&self, name: &[u8]) -> u64 {
        const OLD: u16 = 0x8000;
        const THREADS_OWN: u64 = 6;
        const INDIRECT: u64 = 10;
        const VERSIONS: u64 = 0x6fff_fff0;
        const HASHES: u64 = 0x6fff_fef5;
        let [versions, hashes] = [VERSIONS, HASHES].map(|tag| self.placed(tag));
        let Some(tables) = self.tables().filter(|_| hashes != 0) else { return 0 };
        let first = u64::from(word(hashes + 4)); // the first symbol that has a hash
        let [lists, filter] = [word(hashes), word(hashes + 8)].map(u64::from);
        let begins = hashes + 16 + filter * 8;
        let hash = name.iter().fold(5381u32, |hash, byte| hash.wrapping_mul(33).wrapping_add(u32::from(*byte)));
        let mut index = if lists == 0 { 0 } else { u64::from(word(begins + u64::from(hash) % lists * 4)) };
        while index >= first && index != 0 {
            let kept = word(begins + lists * 4 + (index - first) * 4);
            let (head, value, text) = tables.entry(index);
            // SAFETY: the table of versions has an entry for each symbol.
            let version = if versions == 0 { 0 } else { unsafe { *((versions + index * 2) as *const u16) } };
            let (kind, section) = (head >> 32 & 15, head >> 48);
            if kept | 1 == hash | 1 && section != 0 && kind != THREADS_OWN && version & OLD == 0 && text == name {
                let found = self.slide + value;
                // SAFETY: such a symbol is a function that takes nothing needed here and gives the one to call.
                return if kind == INDIRECT {
                    unsafe { core::mem::transmute::<u64, extern "C" fn() -> u64>(found)() }
                } else {
                    found
                };
            }
            index = if kept & 1 == 0 { index + 1 } else { 0 };
        }
        0
    }

    /// Does a relocation of the object name one of these symbols? Whatever an object uses of another one has a relocation; the
    /// table of hashes need not have it. True as well of an object whose tables are missing.
    pub fn refers_to(&self, names: &[&[u8]]) -> bool {
        self.tables().is_none() || self.references().any(|reference| names.contains(&reference.name))
    }

    /// Its relocations that name a symbol.
    // ABI: elf.h, Elf64_Rela: place, info (kind, and the symbol's number in its upper half), addend.
    pub fn references(&self) -> impl Iterator<Item = Reference> {
        const TABLES: [(u64, u64); 2] = [(7, 8), (23, 2)]; // DT_RELA and DT_RELASZ; DT_JMPREL and DT_PLTRELSZ
        let entries = TABLES.into_iter().flat_map(|(table, size)| {
            let (at, length) = (self.placed(table), self.value(size) as usize);
            // SAFETY: a table of the object that the loader has gone through.
            if at == 0 { &[][..] } else { unsafe { core::slice::from_raw_parts(at as *const [u64; 3], length / 24) } }
        });
        let slide = self.slide;
        let with_symbols = entries.filter(|[_, info, _]| info >> 32 != 0);
        let tables = self.tables().into_iter();
        tables.flat_map(move |tables| {
            with_symbols.clone().map(move |&[place, info, addend]| {
                let (head, _, name) = tables.entry(info >> 32);
                Reference { place: slide + place, kind: info as u32, symbol_kind: head >> 32 & 15, addend, name }
            })
        })
    }

    /// The pages that the loader makes read-only once it has filled them.
    pub fn read_only_later(&self) -> Range<u64> {
        const RELRO: u32 = 0x6474_e552;
        let Some(header) = self.headers().iter().find(|header| header[0] as u32 == RELRO) else { return 0..0 };
        let [_, _, at, _, _, length, _] = header;
        (self.slide + at) & !(PAGE - 1)..(self.slide + at + length) & !(PAGE - 1)
    }

    /// The value of an entry of the dynamic section; 0 without one.
    fn value(&self, tag: u64) -> u64 {
        self.dynamic()
            .iter()
            .take_while(|(tag, _)| *tag != 0)
            .find(|entry| entry.0 == tag)
            .map_or(0, |(_, value)| *value)
    }

    /// The address in such an entry. Loaders write absolute addresses over the relative ones, some of the time.
    fn placed(&self, tag: u64) -> u64 {
        let at = self.value(tag);
        if at != 0 && at < self.slide { at + self.slide } else { at }
    }

    /// Relocations need no more than these two; that there is a table of hashes, and of which kind, is for those who look symbols up.
    fn tables(&self) -> Option<Tables> {
        const STRINGS: u64 = 5;
        const SYMBOLS: u64 = 6;
        let [strings, symbols] = [STRINGS, SYMBOLS].map(|tag| self.placed(tag));
        (strings != 0 && symbols != 0).then_some(Tables { strings, symbols })
    }

    /// Does the address lie in its instructions?
    pub fn executes(&self, at: u64) -> bool {
        const EXECUTABLE: u64 = 1;
        self.loaded(at) & EXECUTABLE != 0
    }

    /// May the program write there, as far as the object says?
    pub fn is_writable(&self, at: u64) -> bool {
        const WRITABLE: u64 = 2;
        self.loaded(at) & WRITABLE != 0
    }

    /// The flags of the part that is loaded there; 0: none is. ABI: `PF_*` of elf.h.
    fn loaded(&self, at: u64) -> u64 {
        const LOAD: u32 = 1;
        let within = |header: &&[u64; 7]| {
            let [kind, _, from, _, _, length, _] = **header;
            kind as u32 == LOAD && at.wrapping_sub(self.slide + from) < length
        };
        self.headers().iter().find(within).map_or(0, |header| header[0] >> 32)
    }
}

/// Where an object's symbols are.
#[derive(Clone, Copy)]
struct Tables {
    strings: u64,
    symbols: u64,
}

impl Tables {
    /// The first word of a symbol's entry, its value and its name.
    fn entry(&self, index: u64) -> (u64, u64, &'static [u8]) {
        const SYMBOL: u64 = 24;
        let at = self.symbols + index * SYMBOL;
        // SAFETY: an entry of the object's table, whose name is a string of its own.
        unsafe {
            let head = *(at as *const u64);
            let text = CStr::from_ptr((self.strings + (head & 0xffff_ffff)) as *const c_char);
            (head, *((at + 8) as *const u64), text.to_bytes())
        }
    }
}

/// A word of a table that the loader uses as well.
fn word(at: u64) -> u32 {
    // SAFETY: the caller read the address in an object's own headers or tables.
    unsafe { *(at as *const u32) }
}

/// The first definition of a symbol, in the loader's order; `behind`: after our own.
pub fn definition(name: &[u8], behind: bool) -> u64 {
    let (mut found, mut reached) = (0, !behind);
    each(|object| {
        if found == 0 && reached && object.name() != b"linux-vdso.so.1" {
            found = object.symbol(name);
        }
        reached |= object.name() == b"libgabion_rt.so";
    });
    found
}

/// Calls `each` for every object.
pub fn each(mut each: impl FnMut(&Object)) {
    unsafe extern "C" fn call<F: FnMut(&Object)>(object: *const Object, _: usize, each: *mut c_void) -> c_int {
        // SAFETY: both are of the types that `each` and the loader give.
        unsafe { (*each.cast::<F>())(&*object) };
        0
    }
    fn called<F: FnMut(&Object)>(_: &F) -> Each {
        call::<F>
    }
    let function = called(&each);
    // SAFETY: the function is called before this returns.
    unsafe { dl_iterate_phdr(function, (&raw mut each).cast()) };
}

/// Calls `with` for the executable.
pub fn first(with: impl FnOnce(&Object)) {
    let mut with = Some(with);
    each(|object| {
        if let Some(with) = with.take() {
            with(object);
        }
    });
}

/// Where the C library is, with the slash at the end; a library of the system's lies there too.
pub fn home() -> &'static [u8] {
    let mut home: &[u8] = b"";
    each(|object| {
        if object.name() == b"libc.so.6" {
            home = object.directory();
        }
    });
    home
}

/// The last of the loader's list at some time.
#[derive(Clone, Copy)]
pub struct Last(*const LinkMap);

impl Last {
    pub const UNKNOWN: Last = Last(core::ptr::null());

    pub fn now() -> Last {
        // SAFETY: the loader's list has at least the program.
        unsafe {
            let mut last = _r_debug.map;
            while !(*last).next.is_null() {
                last = (*last).next;
            }
            Last(last)
        }
    }

    /// Is it known to be the last still?
    #[inline]
    pub fn is_last(self) -> bool {
        // SAFETY: the library is there: who closes one has forgotten this first. Others come behind it.
        !self.0.is_null() && unsafe { (*self.0).next.is_null() }
    }
}
