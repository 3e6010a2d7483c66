//! The exported names that the compiler refers to by itself, in every crate: nothing but jumps.
//!
//! Our own code copies and compares too, and must neither announce that nor depend on what the program defines under
//! these names. So the runtime is linked with `--wrap` for each of them: a reference becomes one to `__wrap_NAME`
//! (plain.rs, not exported). The linker wraps only what the referring object does not define, so the definitions have
//! to come from another object: this file is compiled as a crate of its own (`gabion_names`, see crates/native/build.rs).
//! GNU's linker takes that object in only because of the names that are not wrapped.

#![allow(unexpected_cfgs)]
#![cfg_attr(gabion_library, no_std)]
#![allow(clippy::missing_safety_doc)]

macro_rules! names {
    ($($name:ident $entry:literal)*) => {$(
        // ABI: string.h, strings.h, wchar.h; sanitizer/tsan_interface.h for LLVM's own copies and fills.
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        pub unsafe extern "C" fn $name() {
            core::arch::naked_asm!(concat!("jmp ", $entry))
        }
    )*};
}

names! {
    memcpy "gabion_memcpy"
    memmove "gabion_memmove"
    memset "gabion_memset"
    memcmp "gabion_memcmp"
    bcmp "gabion_bcmp"
    strlen "gabion_strlen"
    wcslen "gabion_wcslen"
    __memcmpeq "gabion_bcmp"
    __tsan_memcpy "gabion_memcpy"
    __tsan_memmove "gabion_memmove"
    __tsan_memset "gabion_memset"
    __gabion_any_memcpy "gabion_memcpy"
    __gabion_any_memmove "gabion_memmove"
    __gabion_any_memset "gabion_memset"
}
