//! What a program can say to gabion, a model checker for its threads. The twin of `gabion.h`.
//!
//! All of it is optional, and does nothing in a program that runs without gabion: the same test runs with `cargo gabion test` and
//! with `cargo test`. No other crate is needed, and nothing allocates or locks.
//!
//! ```
//! let which = gabion::choose(3); // gabion explores 0, 1 and 2
//! assert_eq!(which, 0); // without it, it is 0
//! ```
#![no_std]

mod runtime;

// All of them are inlined, whatever the profile: what is reported of them has the caller's line.

/// Threads may be switched here, whatever `--preempt` says.
#[inline(always)]
pub fn preempt() {
    if let Some(preempt) = runtime::preempt() {
        // SAFETY: a function of the runtime without preconditions.
        unsafe { preempt() }
    }
}

/// A number below `count`: gabion explores every one. Without gabion, 0.
///
/// Choices multiply: two of three values each are nine times the runs. More than 4,096 values are refused.
///
/// # Panics
/// If there is nothing to choose from.
#[inline(always)]
#[track_caller]
pub fn choose(count: u32) -> u32 {
    assert!(count > 0, "gabion::choose: there is nothing to choose from");
    match runtime::choose() {
        // SAFETY: the runtime takes any number from 1 on, and gives one below it. More than it knows are one too many.
        Some(choose) => unsafe { choose(count.min(i32::MAX as u32) as i32) as u32 },
        None => 0,
    }
}

/// A condition about statics that must hold whenever the process ends by itself with status 0. It is looked at in every run,
/// after `main`; a bug of kind `assertion` at the line of the macro if it does not.
///
/// It is a statement, and what must hold is registered when it is executed: at the beginning of a test, or of `main`. It is no
/// item, because nothing runs before `main` in Rust. At the end there are no local variables left, so the condition is about statics, which may stand in the
/// same function.
///
/// ```
/// use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
///
/// fn two_clients() {
///     static DONE: AtomicU32 = AtomicU32::new(0);
///     gabion::assert_at_end!(DONE.load(Relaxed) == 2);
///     let clients = [1, 2].map(|_| std::thread::spawn(|| DONE.fetch_add(1, Relaxed)));
///     clients.into_iter().for_each(|client| drop(client.join()));
/// }
/// # two_clients();
/// ```
///
/// ```compile_fail
/// let done = 2;
/// gabion::assert_at_end!(done == 2); // a local variable
/// ```
#[macro_export]
macro_rules! assert_at_end {
    ($condition:expr $(,)?) => {{
        extern "C" fn holds() -> i32 {
            i32::from($condition)
        }
        const TEXT: &::core::ffi::CStr = $crate::__text(concat!(stringify!($condition), "\0"));
        const FILE: &::core::ffi::CStr = $crate::__text(concat!(file!(), "\0"));
        $crate::__check_at_end(holds, TEXT, FILE, line!());
    }};
}

#[doc(hidden)]
pub const fn __text(of: &'static str) -> &'static core::ffi::CStr {
    match core::ffi::CStr::from_bytes_with_nul(of.as_bytes()) {
        Ok(text) => text,
        Err(_) => c"(a condition)",
    }
}

#[doc(hidden)]
#[inline(always)]
pub fn __check_at_end(
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

/// As long as it lives, threads may be switched; see [`within`].
#[must_use = "it ends when it is dropped"]
#[derive(Debug)]
pub struct Within {
    /// It belongs to the thread that made it.
    _here: core::marker::PhantomData<*mut ()>,
}

/// Begins a part of the program within which threads may be switched: until the value is dropped, in what is called from there too.
///
/// A test whose first run comes upon one has its threads switched only there, and where they block, yield, start or end. The
/// verdict is *complete* at best, and says so. Other tests of the same crate are not affected.
///
/// ```
/// let only_here = gabion::within();
/// // ...
/// drop(only_here);
/// ```
#[inline(always)]
pub fn within() -> Within {
    if let Some(begin) = runtime::within_begin() {
        // SAFETY: a function of the runtime; each begin has its end.
        unsafe { begin() }
    }
    Within { _here: core::marker::PhantomData }
}

impl Drop for Within {
    #[inline(always)]
    fn drop(&mut self) {
        if let Some(end) = runtime::within_end() {
            // SAFETY: as above.
            unsafe { end() }
        }
    }
}

/// Is the program one that gabion compiled, or runs? The rest does nothing where it is not.
#[inline(always)]
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
