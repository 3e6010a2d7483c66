//! Names inside the Rust standard library, and what each means to a program that is checked.

use super::super::channels;
use gabion_trace::standard::{Model, Site};

/// Where the library itself was compiled, and what it is made of, by the names that its builders give to these directories.
pub(super) const LIBRARY: [&[u8]; 2] = [b"/rustc/", b"/rust/deps/"];

/// Releases whose library was tried with the names, layouts and states that the models know.
pub(super) const TRIED: [&str; 1] = ["1.95"];

const SITES: [(&str, Site); 12] = [
    ("std::sys::sync::mutex::futex::Mutex::lock", Site::Lock),
    ("std::sys::sync::mutex::futex::Mutex::try_lock", Site::TryLock),
    ("std::sys::sync::mutex::futex::Mutex::unlock", Site::Unlock),
    ("std::sys::sync::rwlock::futex::RwLock::read", Site::Read),
    ("std::sys::sync::rwlock::futex::RwLock::try_read", Site::TryRead),
    ("std::sys::sync::rwlock::futex::RwLock::read_unlock", Site::ReadUnlock),
    ("std::sys::sync::rwlock::futex::RwLock::write", Site::Write),
    ("std::sys::sync::rwlock::futex::RwLock::try_write", Site::TryWrite),
    ("std::sys::sync::rwlock::futex::RwLock::write_unlock", Site::WriteUnlock),
    ("std::sys::sync::rwlock::futex::RwLock::downgrade", Site::Downgrade),
    ("std::sys::sync::thread_parking::futex::Parker::unpark", Site::Unpark),
    ("std::thread::scoped::scope", Site::Scope),
];

/// Beginnings of names, in this order.
const BEGINNINGS: [(&str, Site); 19] = [
    // How many panics there are, which each thread then asks itself.
    ("std::panicking::panic_count::", Site::Trusted),
    // What handles and scopes share. Anything else that is counted is the program's, wherever it is dropped.
    ("alloc::sync::Arc<std::thread::", Site::Start),
    ("alloc::sync::Weak<std::thread::", Site::Start),
    ("core::ptr::drop_in_place::<std::thread::join_handle::", Site::Start),
    ("core::ptr::drop_in_place::<std::thread::scoped::", Site::Start),
    ("core::ptr::drop_in_place::<std::thread::lifecycle::", Site::Start),
    ("core::ptr::drop_in_place::<std::sys::thread::", Site::Start),
    ("std::thread::local::", Site::Own),
    ("std::thread::thread::Thread::unpark", Site::Caller),
    ("std::thread::", Site::Start),
    ("std::sys::thread_local::", Site::Start),
    ("std::sys::thread::", Site::Start),
    ("core::", Site::Caller),
    ("alloc::alloc::", Site::Caller),
    ("alloc::raw_vec::", Site::Caller),
    // Methods of pointers and slices.
    ("*mut ", Site::Caller),
    ("*const ", Site::Caller),
    ("[", Site::Caller),
    // Whether a lock is poisoned is asked by whoever takes it.
    ("std::sync::poison::Flag::", Site::Caller),
];

pub(super) const MODELS: [(&str, Model); 21] = [
    ("std::sys::sync::mutex::futex::Mutex::lock_contended", Model::LockContended),
    ("std::sys::sync::rwlock::futex::RwLock::read_contended", Model::ReadContended),
    ("std::sys::sync::rwlock::futex::RwLock::write_contended", Model::WriteContended),
    ("std::sys::sync::condvar::futex::Condvar::wait", Model::Wait),
    ("std::sys::sync::condvar::futex::Condvar::wait_timeout", Model::WaitTimeout),
    ("std::sync::poison::condvar::Condvar::notify_one", Model::NotifyOne),
    ("std::sync::poison::condvar::Condvar::notify_all", Model::NotifyAll),
    ("std::sys::sync::once::futex::Once::call", Model::OnceCall),
    ("std::sys::sync::once::futex::Once::wait", Model::OnceWait),
    ("std::thread::thread::Thread::park", Model::ThreadPark),
    ("std::thread::thread::Thread::park_timeout", Model::ThreadParkTimeout),
    ("std::thread::functions::park", Model::Park),
    ("std::thread::functions::park_timeout", Model::ParkTimeout),
    ("std::thread::scoped::ScopeData::increment_num_running_threads", Model::ScopeEnter),
    ("std::thread::scoped::ScopeData::decrement_num_running_threads", Model::ScopeLeave),
    ("std::sync::barrier::Barrier::wait", Model::Barrier),
    ("test::test_main_static", Model::Harness),
    ("__rustc::__rdl_dealloc", Model::Dealloc),
    ("__rustc::__rdl_alloc", Model::Alloc),
    ("__rustc::__rdl_alloc_zeroed", Model::AllocZeroed),
    ("__rustc::__rdl_realloc", Model::Realloc),
];

/// How a thread's result is shared. Who drops it last is nobody's business, unless [`IS_FINISHED`] counts.
pub(super) const RESULT: &str = "alloc::sync::Arc<std::thread::lifecycle::Packet";
pub(super) const IS_FINISHED: &str = "::is_finished";

/// Uninstrumented functions that set threads up and take them down.
pub(super) const START_UP: [&str; 3] =
    ["std::sys::thread_local::", "std::sys::thread::", "alloc::sync::Arc<std::thread::"];

/// What programs use, and where what it does must be found if they do.
pub(super) const MADE_OF: [(&str, &str, &str); 3] = [
    ("std::sync::poison::mutex::Mutex<", "::lock", "std::sys::sync::mutex::futex::Mutex::lock"),
    ("std::sync::poison::rwlock::RwLock<", "::read", "std::sys::sync::rwlock::futex::RwLock::read"),
    ("std::sync::poison::rwlock::RwLock<", "::write", "std::sys::sync::rwlock::futex::RwLock::write"),
];

/// The type of a barrier.
pub(super) const BARRIER: [&str; 4] = ["std", "sync", "barrier", "Barrier"];

/// The word that names the current thread.
pub(super) const CURRENT: &str = "std::thread::current::CURRENT";

/// Beginnings of names in units of a rebuilt library, in this order. What is not here is the code of whoever calls it.
const INSIDE: [(&str, Site); 36] = [
    // Whoever looks whether something is done is ordered by that.
    ("std::sys::sync::once::futex::Once::is_completed", Site::Caller),
    // Who is told of a panic: all threads share that, and one that panics asks for it.
    ("std::panicking::set_hook", Site::Caller),
    ("std::panicking::take_hook", Site::Caller),
    ("std::panicking::update_hook", Site::Caller),
    ("std::panicking::panic_with_hook", Site::Own),
    // Locks that a program can hold, and order its own accesses by.
    ("std::io::stdio::Stdin::lock", Site::Caller),
    ("std::io::stdio::Stdout::lock", Site::Caller),
    ("std::io::stdio::Stderr::lock", Site::Caller),
    // On behalf of whoever asks for memory, calls the system, or has a thread-local variable.
    ("std::sys::pal::unix::cvt", Site::Caller),
    ("std::thread::local::", Site::Caller),
    ("std::thread::thread::Thread::unpark", Site::Caller),
    // Threads are set up and taken down.
    ("std::sys::thread_local::", Site::Start),
    ("std::sys::thread::", Site::Start),
    ("alloc::sync::Arc<std::thread::", Site::Start),
    ("std::thread::", Site::StartInside),
    ("core::ptr::drop_in_place::<std::thread::", Site::StartInside),
    ("std::rt::thread_cleanup", Site::StartInside),
    ("std::rt::", Site::Library),
    ("std::sys::pal::", Site::Library),
    ("std::sys::exit", Site::Library),
    ("std::process::exit", Site::Library),
    // What waits has a model.
    ("std::sys::sync::", Site::Library),
    // Printing.
    ("std::io::stdio::", Site::Library),
    ("std::sys::stdio::", Site::Library),
    // Panics. What a thread begins and ends with is called through these two.
    ("std::panicking::catch_unwind", Site::StartInside),
    ("std::panic::catch_unwind", Site::StartInside),
    ("std::panicking::", Site::Library),
    ("std::panic::", Site::Library),
    ("std::backtrace", Site::Library),
    ("std::sys::backtrace::", Site::Library),
    ("std::sys::personality::", Site::Library),
    ("panic_unwind::", Site::Library),
    ("std::sys::args::", Site::Library),
    ("std::sys::random::", Site::Library),
    // The harness of tests.
    ("test::", Site::Library),
    ("getopts::", Site::Library),
];

/// Whose code a function is that was compiled with the library, which was rebuilt.
pub(super) fn inside(name: &str) -> Site {
    let name = name.trim_start_matches('&');
    if let Some((_, site)) = SITES.iter().find(|(known, _)| is_named(name, known)) {
        return *site;
    }
    if let Some(site) = channels::site(name) {
        return site;
    }
    if let Some((_, site)) = INSIDE.iter().find(|(beginning, _)| name.starts_with(beginning)) {
        return *site;
    }
    // What is printed is looked at by who prints it, though printing is trusted.
    let formats = name.split_once(" as core::fmt::").is_some_and(|(_, of)| !of.starts_with("Write>"));
    if formats { Site::Own } else { Site::Caller }
}

/// Is it the function, or an instance of it?
fn is_named(name: &str, known: &str) -> bool {
    name.strip_prefix(known).is_some_and(|rest| rest.is_empty() || rest.starts_with("::<"))
}

/// Whose code a function is.
pub(super) fn site(name: &str) -> Site {
    let name = name.trim_start_matches('&'); // of a trait that is implemented for references
    let known = SITES.iter().find(|(known, _)| is_named(name, known));
    let begins = || BEGINNINGS.iter().find(|(beginning, _)| name.starts_with(beginning));
    // A trait of the program's own, for a type of the library: the program's code.
    let theirs = |name: &str| ["core::", "alloc::", "std::"].iter().any(|library| name.starts_with(library));
    let foreign = name.split_once(" as ").is_some_and(|(_, implemented)| !theirs(implemented));
    if foreign {
        return Site::Own;
    }
    channels::site(name).or_else(|| known.or_else(begins).map(|(_, site)| *site)).unwrap_or(Site::Own)
}

/// Functions that change what all threads of the process share, under a lock of the library's own: as programs know them, and as
/// they are called.
const PROCESS: [(&str, &str); 11] = [
    ("std::env::set_var", "std::env::set_var"),
    ("std::env::set_var", "std::env::_set_var"),
    ("std::env::set_var", "std::sys::env::unix::setenv"),
    ("std::env::remove_var", "std::env::remove_var"),
    ("std::env::remove_var", "std::env::_remove_var"),
    ("std::env::remove_var", "std::sys::env::unix::unsetenv"),
    ("std::env::set_var", "std::sys::pal::unix::os::setenv"),
    ("std::env::remove_var", "std::sys::pal::unix::os::unsetenv"),
    ("std::panic::set_hook", "std::panicking::set_hook"),
    ("std::panic::take_hook", "std::panicking::take_hook"),
    ("std::panic::update_hook", "std::panicking::update_hook"),
];

/// Which such function a symbol is. Of a prebuilt library nobody sees in which order threads come to that lock.
pub(in crate::build) fn changes_process(mangled: &str) -> Option<&'static str> {
    let name = plain(mangled);
    PROCESS.iter().find(|(_, called)| is_named(&name, called)).map(|(known, _)| *known)
}

/// A name without hashes, and without the brackets around the type that a function belongs to.
pub(super) fn plain(mangled: &str) -> String {
    let name = format!("{:#}", rustc_demangle::demangle(mangled));
    let Some(rest) = name.strip_prefix('<') else { return name };
    match rest.split_once(">::") {
        Some((kind, function)) if !kind.contains(['<', ' ']) => format!("{kind}::{function}"),
        _ => rest.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_decides() {
        let check = |mangled: &str, expected: Site| assert_eq!(site(&plain(mangled)), expected, "{}", plain(mangled));
        check("_RNvMNtNtNtNtCs0_3std3sys4sync5mutex5futexNtB2_5Mutex4lock", Site::Lock);
        check("_RNvMNtNtNtNtCs0_3std3sys4sync5mutex5futexNtB2_5Mutex8try_lock", Site::TryLock);
        check("_ZN3std3sys4sync5mutex5futex5Mutex4lock17h0123456789abcdefE", Site::Lock);
        check("_ZN4core4sync6atomic9AtomicU3216compare_exchange17h0123456789abcdefE", Site::Caller);
        check("_ZN3std4sync4mpmc4list7Channel4send17h0123456789abcdefE", Site::Part);
        check("_RNvCs0_1a4main", Site::Own);
        assert_eq!(site("core::cell::Cell<u8> as mine::Trait>::run"), Site::Own);
        assert_eq!(site("alloc::sync::Arc<mine::Type> as core::ops::drop::Drop>::drop"), Site::Own);
    }

    #[test]
    fn what_all_threads_share_is_known_by_its_name() {
        assert_eq!(changes_process("_ZN3std9panicking8set_hook17h0123456789abcdefE"), Some("std::panic::set_hook"));
        assert_eq!(changes_process("_ZN3std3env4_var17h0123456789abcdefE"), None);
    }

    #[test]
    fn inside_the_library_callers_decide_but_for_what_is_trusted() {
        let check = |name: &str, expected: Site| assert_eq!(inside(name), expected, "{name}");
        check("std::path::PathBuf::_push", Site::Caller);
        check("alloc::raw_vec::RawVecInner::finish_grow", Site::Caller);
        check(
            "std::sys::alloc::unix::<impl core::alloc::global::GlobalAlloc for std::alloc::System>::dealloc",
            Site::Caller,
        );
        check("std::sys::sync::mutex::futex::Mutex::lock", Site::Lock);
        check("std::sys::sync::once::futex::Once::call", Site::Library);
        check("std::sync::mpmc::waker::SyncWaker::notify", Site::Part);
        check("std::thread::thread::Thread::unpark", Site::Caller);
        check("std::thread::current::init_current", Site::StartInside);
        check("alloc::sync::Arc<std::thread::thread::Inner>>::drop_slow", Site::Start);
        check("std::io::stdio::StdoutLock as std::io::Write>::write_all", Site::Library);
        check("std::io::stdio::Stdout::lock", Site::Caller);
        check("std::io::stdio::Stdout::write_fmt", Site::Library);
        check("u32 as core::fmt::Display>::fmt", Site::Own);
        check(
            "std::io::default_write_fmt::Adapter<std::io::stdio::StdoutLock> as core::fmt::Write>::write_str",
            Site::Caller,
        );
        check("test::run_tests", Site::Library);
        check("std::sys::env::unix::setenv", Site::Caller);
        check("std::panicking::panic_with_hook", Site::Own);
        check("std::panicking::default_hook", Site::Library);
    }
}
