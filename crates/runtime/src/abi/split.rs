//! The point between the load and the store of one statement.
//!
//! gcc announces the store to a bit-field as a write and then loads, changes and stores the word that holds it. Our
//! assembler puts a call of one of these right before the store, in code that does not know of it: every register and
//! flag is kept. The upper halves of vector registers are not, which no code between an announcement and its access
//! has in use. While nobody watches it is a compare and a return.

use super::access::announced;
use crate::state::WATCHING;
use core::arch::naked_asm;
use gabion_trace::AccessKind;

macro_rules! splits {
    ($($name:ident $size:literal;)*) => {$(
        // ABI: ours alone. The address in %rdi; called between any two instructions, with a valid stack below %rsp.
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        unsafe extern "C" fn $name(_address: u64) {
            naked_asm!(
                "pushfq", "cmp byte ptr [rip + {watching}], 0", "jne 2f", "popfq", "ret",
                "2: push rbp", "mov rbp, rsp",
                "push rax", "push rcx", "push rdx", "push rsi", "push rdi", "push r8", "push r9", "push r10", "push r11",
                // Return address, flags, rbp.
                "mov rcx, [rbp + 16]", "dec rcx",
                "sub rsp, 512", "and rsp, -16", "fxsave64 [rsp]",
                // What a call finds: no values on the x87 stack, strings upwards.
                "emms", "cld",
                "mov esi, {size}", "mov edx, {kind}", "call {announced}",
                "fxrstor64 [rsp]", "lea rsp, [rbp - 72]",
                "pop r11", "pop r10", "pop r9", "pop r8", "pop rdi", "pop rsi", "pop rdx", "pop rcx", "pop rax",
                "pop rbp", "popfq", "ret",
                watching = sym WATCHING, size = const $size, kind = const AccessKind::WRITE.0 as u32,
                announced = sym announced,
            )
        }
    )*};
}

splits! { __gabion_split1 1; __gabion_split2 2; __gabion_split4 4; __gabion_split8 8; }
