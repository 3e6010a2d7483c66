//! The functions of gabion's runtime, if it is there: weak symbols, looked at where the linker puts their addresses.

use core::ffi::c_char;

pub(crate) type Plain = unsafe extern "C" fn();
pub(crate) type Choose = unsafe extern "C" fn(i32) -> i32;
pub(crate) type AtEnd = unsafe extern "C" fn(extern "C" fn() -> i32, *const c_char, *const c_char, u32);

macro_rules! weak {
    ($($name:ident: $kind:ty = $symbol:literal;)*) => {$(
        #[inline(always)]
        #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
        pub(crate) fn $name() -> Option<$kind> {
            let address: usize;
            // SAFETY: reads an entry of the global offset table, which is 0 where nobody defines the symbol; a symbol that
            // is there is a function of this type.
            unsafe {
                core::arch::asm!(
                    concat!(".weak ", $symbol), concat!("mov {}, qword ptr [rip + ", $symbol, "@GOTPCREL]"),
                    out(reg) address, options(nostack, pure, nomem, preserves_flags),
                );
                core::mem::transmute::<usize, Option<$kind>>(address)
            }
        }

        #[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
        pub(crate) fn $name() -> Option<$kind> {
            None
        }
    )*};
}

weak! {
    preempt: Plain = "__gabion_preempt";
    choose: Choose = "__gabion_choose";
    at_end: AtEnd = "__gabion_at_end";
    within_begin: Plain = "__gabion_within_begin";
    within_end: Plain = "__gabion_within_end";
}
