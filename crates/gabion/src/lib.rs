//! What a program can say to gabion, a model checker for its threads. The twin of `gabion.h`.
//!
//! All of it is optional, and does nothing in a program that runs without gabion: the same program runs with it and
//! without. No other crate is needed, and nothing allocates or locks.
//!
//! ```
//! let which = gabion::choose(3); // gabion explores 0, 1 and 2
//! assert_eq!(which, 0); // without it, it is 0
//! ```
#![no_std]

mod runtime;

/// Threads may be switched here, whatever `--preempt` says.
#[inline]
pub fn preempt() {
    if let Some(preempt) = runtime::preempt() {
        // SAFETY: a function of the runtime without preconditions.
        unsafe { preempt() }
    }
}

/// A number below `count`: gabion explores every one. Without gabion, 0.
///
/// # Panics
/// If there is nothing to choose from.
#[inline]
pub fn choose(count: u32) -> u32 {
    assert!(count > 0, "gabion::choose: there is nothing to choose from");
    match runtime::choose() {
        // SAFETY: the runtime takes any number from 1 on, and gives one below it. More than it knows are one too many.
        Some(choose) => unsafe { choose(count.min(i32::MAX as u32) as i32) as u32 },
        None => 0,
    }
}

/// Calls a function whenever the process ends by itself with status 0, in every run, after main: if it says no, that is a bug.
/// See [`assert_at_end!`].
pub fn check_at_end(
    holds: extern "C" fn() -> i32,
    text: &'static core::ffi::CStr,
    file: &'static core::ffi::CStr,
    line: u32,
) {
    if let Some(at_end) = runtime::at_end() {
        // SAFETY: the texts live for ever.
        unsafe { at_end(holds, text.as_ptr(), file.as_ptr(), line) }
    }
}

/// A condition about statics that must hold whenever the process ends by itself with status 0. It is looked at in every run,
/// after main.
///
/// ```
/// use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
/// static DONE: AtomicU32 = AtomicU32::new(0);
/// gabion::assert_at_end!(DONE.load(Relaxed) == 2);
/// ```
#[macro_export]
macro_rules! assert_at_end {
    ($condition:expr) => {{
        extern "C" fn holds() -> i32 {
            i32::from($condition)
        }
        const fn text(of: &'static str) -> &'static ::core::ffi::CStr {
            match ::core::ffi::CStr::from_bytes_with_nul(of.as_bytes()) {
                Ok(text) => text,
                Err(_) => c"(a condition)",
            }
        }
        const TEXT: &::core::ffi::CStr = text(concat!(stringify!($condition), "\0"));
        const FILE: &::core::ffi::CStr = text(concat!(file!(), "\0"));
        $crate::check_at_end(holds, TEXT, FILE, line!());
    }};
}

/// As long as it lives, threads may be switched. In a program that has one, they are switched only there (and where they block,
/// yield, start or end), in what is called from there too.
///
/// ```
/// let only_here = gabion::within();
/// // ...
/// drop(only_here);
/// ```
#[must_use = "it ends when it is dropped"]
#[derive(Debug)]
pub struct Within(());

/// Begins a part of the program within which threads may be switched.
#[inline]
pub fn within() -> Within {
    if let Some(begin) = runtime::within_begin() {
        // SAFETY: a function of the runtime; each begin has its end.
        unsafe { begin() }
    }
    Within(())
}

impl Drop for Within {
    #[inline]
    fn drop(&mut self) {
        if let Some(end) = runtime::within_end() {
            // SAFETY: as above.
            unsafe { end() }
        }
    }
}

/// Is the program being checked?
#[inline]
pub fn is_checked() -> bool {
    runtime::preempt().is_some()
}

#[cfg(test)]
mod tests {
    extern crate std;
    use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

    static ASKED: AtomicBool = AtomicBool::new(false);

    #[test]
    fn outside_it_does_nothing() {
        crate::preempt();
        assert_eq!(crate::choose(7), 0);
        crate::assert_at_end!(ASKED.swap(true, Relaxed));
        let here = crate::within();
        drop(here);
        assert!(!crate::is_checked() && !ASKED.load(Relaxed));
    }

    #[test]
    #[should_panic(expected = "nothing to choose from")]
    fn nothing_to_choose_from() {
        crate::choose(0);
    }
}
