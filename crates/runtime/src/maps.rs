//! The process's own mappings, as the kernel lists them.

use crate::aside;
use crate::sys;

/// One line of the list.
pub struct Mapping<'a> {
    pub from: u64,
    pub to: u64,
    /// `rwxp`: what is allowed, and whether writes stay private.
    pub permissions: &'a [u8],
    pub line: &'a [u8],
}

impl Mapping<'_> {
    pub fn writable(&self) -> bool {
        self.permissions[1] == b'w'
    }
    pub fn shared(&self) -> bool {
        self.permissions[3] == b's'
    }
    pub fn named(&self, word: &[u8]) -> bool {
        self.line.windows(word.len()).any(|w| w == word)
    }
}

/// Calls `each` for every mapping.
pub fn each(mut each: impl FnMut(&Mapping<'_>)) {
    const BUFFER: u64 = 1 << 20;
    aside::with_scratch(BUFFER, |buffer| {
        let mut used = 0u64;
        // SAFETY: opens and reads a file into a buffer of ours.
        unsafe {
            let fd = sys::call(sys::OPEN, c"/proc/self/maps".as_ptr() as u64, 0o2000000, 0);
            loop {
                let n = sys::call(sys::READ, fd as u64, buffer + used, BUFFER - used);
                if n <= 0 {
                    break;
                }
                used += n as u64;
            }
            sys::call(sys::CLOSE, fd as u64, 0, 0);
        }
        // SAFETY: filled above.
        let text = unsafe { core::slice::from_raw_parts(buffer as *const u8, used as usize) };
        for line in text.split(|b| *b == b'\n').filter(|l| l.len() > 20) {
            let (from, rest) = hex(line);
            let (to, rest) = hex(&rest[1..]);
            each(&Mapping { from, to, permissions: &rest[1..5], line });
        }
    });
}

fn hex(text: &[u8]) -> (u64, &[u8]) {
    let mut value = 0;
    let mut i = 0;
    while let Some(digit) = text.get(i).and_then(|b| (*b as char).to_digit(16)) {
        value = value * 16 + u64::from(digit);
        i += 1;
    }
    (value, &text[i..])
}
