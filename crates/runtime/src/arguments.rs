//! The program's arguments and environment, at a place of their own.
//!
//! The kernel puts them at the top of its stack, where the length of every one of them, and of the executable's path, decides
//! about the addresses of all. A copy lies at [`ARGUMENTS`] in every process, without the variables that are ours.

use crate::places::PAGE;
use crate::sys;
use gabion_trace::places::ARGUMENTS;
use gabion_trace::shared::{LOADING, NAME_VARIABLE};

/// Where the kernel put the arguments.
static mut KERNELS: u64 = 0;

/// Where the kernel put the pointers to the arguments; their number lies before them.
pub fn kernels() -> u64 {
    // SAFETY: one kernel thread.
    unsafe { KERNELS }
}

/// A list of texts that ends in null.
struct List(u64);

impl Iterator for List {
    type Item = &'static [u8];
    fn next(&mut self) -> Option<&'static [u8]> {
        // SAFETY: the kernel's list, of texts that end in zero.
        unsafe {
            let text = *(self.0 as *const u64) as *const u8;
            self.0 += 8;
            (!text.is_null()).then(|| {
                let length = (0..).find(|at| *text.add(*at) == 0).unwrap_or(0);
                core::slice::from_raw_parts(text, length)
            })
        }
    }
}

/// The value, if it is that variable.
fn value<'t>(variable: &'t [u8], name: &str) -> Option<&'t [u8]> {
    variable.strip_prefix(name.as_bytes())?.strip_prefix(b"=")
}

/// Is it one of the program's? Names that ours begin with are the program's own.
fn is_programs(variable: &&[u8]) -> bool {
    value(variable, NAME_VARIABLE).is_none() && LOADING.iter().all(|name| value(variable, name).is_none())
}

/// Copies what the kernel laid out at `argv`; gives the copy, laid out likewise: arguments, null, environment, null, texts.
pub fn take_over(argc: i32, argv: u64) -> u64 {
    unsafe extern "C" {
        // ABI: unistd.h.
        static mut environ: u64;
    }
    // SAFETY: one kernel thread; before the program's own code runs.
    unsafe { KERNELS = argv };
    let environment = argv + (argc as u64 + 1) * 8;
    let own = List(environment).find_map(|variable| value(variable, NAME_VARIABLE));
    let arguments = || List(argv).enumerate().map(move |(at, text)| own.filter(|_| at == 0).unwrap_or(text));
    let variables = || List(environment).filter(is_programs);
    let texts = || arguments().chain(variables());
    let pointers = (argc as u64 + 1 + variables().count() as u64 + 1) * 8;
    let length = pointers + texts().map(|text| text.len() as u64 + 1).sum::<u64>();
    sys::map(ARGUMENTS, (length + PAGE - 1) & !(PAGE - 1), 3, 0x10_4022, -1);
    let mut at = ARGUMENTS + pointers;
    let mut put = |pointer: u64, text: &[u8]| {
        // SAFETY: inside the new mapping, which is zero and has room for all pointers and texts.
        unsafe {
            core::ptr::copy_nonoverlapping(text.as_ptr(), at as *mut u8, text.len());
            *(pointer as *mut u64) = at;
        }
        at += text.len() as u64 + 1;
    };
    let behind = ARGUMENTS + (argc as u64 + 1) * 8;
    (ARGUMENTS..).step_by(8).zip(arguments()).for_each(|(pointer, text)| put(pointer, text));
    (behind..).step_by(8).zip(variables()).for_each(|(pointer, text)| put(pointer, text));
    // SAFETY: the C library's variable.
    unsafe { environ = behind };
    ARGUMENTS
}
