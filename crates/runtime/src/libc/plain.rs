//! Copying, filling, comparing and measuring with nobody told: what the compiler's own references become (see
//! names.rs), and what the announcing functions do their work with.
//!
//! In assembly, because a loop in Rust that copies is a call of `memcpy` after optimisation. Sixteen bytes at a time;
//! the string instructions from [`LONG`] on, where they are the fastest on any processor of the last ten years. The two
//! copies are one and bear overlap: programs built against an old C library expect that of `memcpy`.

use core::arch::global_asm;

const LONG: usize = 2048;

unsafe extern "C" {
    // ABI: string.h, wchar.h
    #[link_name = "__wrap_memmove"]
    pub fn copy(to: *mut u8, from: *const u8, length: usize) -> *mut u8;
    #[link_name = "__wrap_memset"]
    pub fn fill(to: *mut u8, value: i32, length: usize) -> *mut u8;
    #[link_name = "__wrap_memcmp"]
    pub fn compare(a: *const u8, b: *const u8, length: usize) -> i32;
    #[link_name = "__wrap_strlen"]
    fn strlen(text: *const u8) -> usize;
    #[link_name = "__wrap_wcslen"]
    fn wcslen(text: *const u32) -> usize;
}

/// Length of a zero-terminated string.
#[inline(always)]
pub fn length(text: *const u8) -> usize {
    // SAFETY: the caller's string. If it is none, the fault is the program's own.
    unsafe { strlen(text) }
}

/// Length of a zero-terminated string of wide characters.
#[inline(always)]
pub fn wide_length(text: *const u32) -> usize {
    // SAFETY: as above.
    unsafe { wcslen(text) }
}

/// Where a byte first is, among the first `length`.
#[inline]
pub fn find(at: *const u8, byte: u8, length: usize) -> Option<usize> {
    // SAFETY: bytes before the first match are the caller's to read.
    (0..length).find(|i| unsafe { *at.add(*i) } == byte)
}

/// Length of a string of at most `limit` bytes.
#[inline]
pub fn length_within(text: *const u8, limit: usize) -> usize {
    find(text, 0, limit).unwrap_or(limit)
}

/// Where a string of bytes first is in another.
pub fn find_string(hay: *const u8, hay_length: usize, needle: *const u8, length: usize) -> Option<usize> {
    // SAFETY: both are the caller's to read, and no more than their lengths are read.
    unsafe {
        let mut from = 0;
        while let Some(i) = find(hay.add(from), *needle, (hay_length + 1).saturating_sub(from + length)) {
            if compare(hay.add(from + i), needle, length) == 0 {
                return Some(from + i);
            }
            from += i + 1;
        }
        None
    }
}

/// A set of bytes, from a zero-terminated string of its members.
pub struct Set([u64; 4]);

impl Set {
    /// The set and the number of bytes in the string.
    pub fn new(members: *const u8) -> (Set, usize) {
        let n = length(members);
        let mut set = Set([0; 4]);
        for i in 0..n {
            // SAFETY: before the string's end.
            let byte = unsafe { *members.add(i) };
            set.0[byte as usize / 64] |= 1 << (byte % 64);
        }
        (set, n)
    }
    #[inline(always)]
    pub fn has(&self, byte: u8) -> bool {
        self.0[byte as usize / 64] >> (byte % 64) & 1 == 1
    }
    /// Length of the string's beginning that has only members, or only others; never beyond its end.
    pub fn span(&self, text: *const u8, members: bool) -> usize {
        let mut i = 0;
        // SAFETY: up to the string's end.
        while let byte @ 1.. = unsafe { *text.add(i) } {
            if self.has(byte) != members {
                break;
            }
            i += 1;
        }
        i
    }
}

macro_rules! function {
    ($name:literal, $($line:literal),* $(, $operand:ident = const $value:expr)?) => {
        global_asm!(
            concat!(".pushsection .text.", $name, ",\"ax\",@progbits"), ".p2align 4",
            concat!(".globl ", $name), concat!(".hidden ", $name), concat!(".type ", $name, ", @function"),
            concat!($name, ":"), $($line,)* concat!(".size ", $name, ", . - ", $name), ".popsection",
            $($operand = const $value,)?
        );
    };
}

function!(
    "__wrap_memmove",
    ".globl __wrap_memcpy", ".hidden __wrap_memcpy", ".type __wrap_memcpy, @function", "__wrap_memcpy:",
    "mov rax, rdi",
    "cmp rdx, 16", "jae 16f",
    "cmp edx, 8", "jae 8f",
    "cmp edx, 4", "jae 4f",
    "test edx, edx", "je 9f",
    "movzx ecx, byte ptr [rsi]",
    "cmp edx, 1", "je 3f",
    "movzx r8d, word ptr [rsi + rdx - 2]", "mov [rdi + rdx - 2], r8w",
    "3: mov [rdi], cl",
    "9: ret",
    "4: mov ecx, [rsi]", "mov r8d, [rsi + rdx - 4]", "mov [rdi], ecx", "mov [rdi + rdx - 4], r8d", "ret",
    "8: mov rcx, [rsi]", "mov r8, [rsi + rdx - 8]", "mov [rdi], rcx", "mov [rdi + rdx - 8], r8", "ret",
    "16: movdqu xmm0, [rsi]", "movdqu xmm1, [rsi + rdx - 16]",
    "cmp rdx, 32", "ja 2f",
    "movdqu [rdi], xmm0", "movdqu [rdi + rdx - 16], xmm1", "ret",
    "2: mov rcx, rdi", "sub rcx, rsi", "cmp rcx, rdx", "jb 6f",
    "cmp rdx, {long}", "jae 7f",
    // Upwards; the last sixteen bytes were read first and are written last.
    "lea r8, [rdi + rdx - 16]",
    "5: cmp rdx, 64", "jbe 3f",
    "movdqu xmm0, [rsi]", "movdqu xmm2, [rsi + 16]", "movdqu xmm3, [rsi + 32]", "movdqu xmm4, [rsi + 48]",
    "movdqu [rdi], xmm0", "movdqu [rdi + 16], xmm2", "movdqu [rdi + 32], xmm3", "movdqu [rdi + 48], xmm4",
    "add rsi, 64", "add rdi, 64", "sub rdx, 64", "jmp 5b",
    "3: cmp rdx, 16", "jbe 4f",
    "movdqu xmm0, [rsi]", "movdqu [rdi], xmm0", "add rsi, 16", "add rdi, 16", "sub rdx, 16", "jmp 3b",
    "4: movdqu [r8], xmm1", "ret",
    // Downwards, because the target begins inside the source.
    "6: movdqu xmm2, [rsi + rdx - 16]", "movdqu [rdi + rdx - 16], xmm2", "sub rdx, 16", "cmp rdx, 16", "ja 6b",
    "movdqu [rdi], xmm0", "ret",
    "7: mov rcx, rdx", "rep movsb", "ret",
    long = const LONG
);

function!(
    "__wrap_memset",
    "mov rax, rdi",
    "movzx esi, sil", "mov rcx, 0x0101010101010101", "imul rcx, rsi",
    "cmp rdx, 16", "jae 16f",
    "cmp edx, 8", "jae 8f",
    "cmp edx, 4", "jae 4f",
    "test edx, edx", "je 9f",
    "mov [rdi], cl", "mov [rdi + rdx - 1], cl",
    "shr edx, 1", "mov [rdi + rdx], cl",
    "9: ret",
    "4: mov [rdi], ecx", "mov [rdi + rdx - 4], ecx", "ret",
    "8: mov [rdi], rcx", "mov [rdi + rdx - 8], rcx", "ret",
    "16: cmp rdx, {long}", "jae 7f",
    "movq xmm0, rcx", "punpcklqdq xmm0, xmm0", "lea r8, [rdi + rdx - 16]",
    "sub rdx, 64", "jb 6f",
    "5: movdqu [rdi], xmm0", "movdqu [rdi + 16], xmm0", "movdqu [rdi + 32], xmm0", "movdqu [rdi + 48], xmm0",
    "add rdi, 64", "sub rdx, 64", "jae 5b",
    "6: cmp rdi, r8", "jae 4f",
    "movdqu [rdi], xmm0", "add rdi, 16", "jmp 6b",
    "4: movdqu [r8], xmm0", "ret",
    "7: mov r8, rax", "mov eax, ecx", "mov rcx, rdx", "rep stosb", "mov rax, r8", "ret",
    long = const LONG
);

function!(
    "__wrap_memcmp",
    ".globl __wrap_bcmp",
    ".hidden __wrap_bcmp",
    ".type __wrap_bcmp, @function",
    "__wrap_bcmp:",
    "xor ecx, ecx",
    "2: lea r8, [rcx + 16]",
    "cmp r8, rdx",
    "ja 4f",
    "movdqu xmm0, [rdi + rcx]",
    "movdqu xmm1, [rsi + rcx]",
    "pcmpeqb xmm0, xmm1",
    "pmovmskb r9d, xmm0",
    "xor r9d, 0xffff",
    "jne 3f",
    "mov rcx, r8",
    "jmp 2b",
    "3: bsf r9d, r9d",
    "add rcx, r9",
    "movzx eax, byte ptr [rdi + rcx]",
    "movzx r8d, byte ptr [rsi + rcx]",
    "sub eax, r8d",
    "ret",
    "4: cmp rcx, rdx",
    "jae 5f",
    "movzx eax, byte ptr [rdi + rcx]",
    "movzx r8d, byte ptr [rsi + rcx]",
    "sub eax, r8d",
    "jne 6f",
    "inc rcx",
    "jmp 4b",
    "5: xor eax, eax",
    "6: ret"
);

// Aligned reads never cross into a page that the string does not reach.
function!(
    "__wrap_strlen",
    "mov rax, rdi",
    "and rax, -16",
    "mov ecx, edi",
    "and ecx, 15",
    "pxor xmm0, xmm0",
    "movdqa xmm1, [rax]",
    "pcmpeqb xmm1, xmm0",
    "pmovmskb edx, xmm1",
    "shr edx, cl",
    "test edx, edx",
    "je 2f",
    "bsf eax, edx",
    "ret",
    "2: add rax, 16",
    "movdqa xmm1, [rax]",
    "pcmpeqb xmm1, xmm0",
    "pmovmskb edx, xmm1",
    "test edx, edx",
    "je 2b",
    "bsf edx, edx",
    "add rax, rdx",
    "sub rax, rdi",
    "ret"
);

function!(
    "__wrap_wcslen",
    "mov rax, rdi",
    "2: cmp dword ptr [rax], 0",
    "je 3f",
    "add rax, 4",
    "jmp 2b",
    "3: sub rax, rdi",
    "shr rax, 2",
    "ret"
);
