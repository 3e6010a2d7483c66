//! What the system lets this process use (`setrlimit`), and what to do where that is too little.
//!
//! Several programs under test at once need more files, and the runtime's mappings more addresses, than a cautious shell allows. The
//! soft limits of this process are raised as far as the hard ones go; a program under test has limits of its own (`process.rs`), and that
//! of the size of its files back. What cannot be raised is refused before anything is run, by its `ulimit` name.

use gabion_trace::shared::{CONTROL_FD, TOTAL};
use std::io;
use std::sync::OnceLock;

/// Open files for as many programs at once as anybody checks.
const FILES: u64 = 8192;
/// The descriptors that a program under test has for us lie below this.
const FEWEST_FILES: u64 = CONTROL_FD as u64 + 5;
/// Stack of the first thread.
const STACK: u64 = 8 << 20;
/// A search goes as deep as it needs to in this.
const LEAST_STACK: u64 = 1 << 20;

/// Memory of this process.
const LEAST_DATA: u64 = 1 << 30;

/// How large files could become before that was raised.
static FILE_SIZE: OnceLock<u64> = OnceLock::new();

/// A limit: its number, what is wanted of it, what is needed; what it limits, in words, and the option of `ulimit`.
type Limit = (u32, u64, u64, &'static str, &'static str);

const INFINITY: u64 = libc::RLIM_INFINITY;
const NEEDED: [Limit; 5] = [
    (libc::RLIMIT_NOFILE, FILES, FEWEST_FILES, "the number of open files", "-n"),
    (libc::RLIMIT_STACK, STACK, LEAST_STACK, "the stack", "-s"),
    (libc::RLIMIT_DATA, INFINITY, LEAST_DATA, "memory for data", "-d"),
    (libc::RLIMIT_FSIZE, INFINITY, TOTAL as u64, "the size of files, which that of shared memory is too,", "-f"),
    (libc::RLIMIT_AS, INFINITY, INFINITY, "the address space, of which terabytes are reserved and not used,", "-v"),
];

/// Raises the limits of this process. The error says which one is too low, and what to do.
pub fn raise() -> Result<(), String> {
    // A file that becomes too large is an error like others; a signal would end us without a word.
    // SAFETY: the disposition of a signal that nobody handles; programs under test get the default one.
    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
    let _ = FILE_SIZE.set(of(libc::RLIMIT_FSIZE).rlim_cur);
    for (which, wanted, needed, of_what, option) in NEEDED {
        let limit = of(which);
        if limit.rlim_cur < wanted {
            set(which, wanted.min(limit.rlim_max), limit.rlim_max);
        }
        let is = of(which).rlim_cur;
        if is < needed {
            let [is, needed] = [is, needed].map(|n| if which == libc::RLIMIT_NOFILE { n.to_string() } else { size(n) });
            return Err(format!(
                "{of_what} is limited to {is} (ulimit {option}), and gabion needs {needed}: start it with a higher limit"
            ));
        }
    }
    Ok(())
}

/// In a child, for the program under test: what is raised for us alone.
pub(crate) fn put_back() {
    if let Some(soft) = FILE_SIZE.get() {
        set(libc::RLIMIT_FSIZE, *soft, of(libc::RLIMIT_FSIZE).rlim_max);
    }
}

/// What a refusal of the system has to do with limits, in words to add to it.
pub(crate) fn hint(error: &io::Error) -> &'static str {
    match error.raw_os_error() {
        Some(libc::EMFILE) => {
            "; too few files may be open at once: raise the limit (ulimit -n), or use fewer workers (--jobs)"
        }
        Some(libc::ENFILE) => "; too many files are open on this machine",
        Some(libc::EAGAIN) => {
            "; this user may not start as many processes: raise the limit (ulimit -u), end some, or use fewer workers (--jobs)"
        }
        Some(libc::ENOMEM) => {
            "; memory or addresses run out: raise the limits (ulimit -v, -d), or use fewer workers (--jobs)"
        }
        Some(libc::EFBIG) => "; the size of files is limited: raise the limit (ulimit -f)",
        _ => "",
    }
}

fn of(which: u32) -> libc::rlimit {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: a plain system call.
    unsafe { libc::getrlimit(which, &mut limit) };
    limit
}

fn set(which: u32, soft: u64, hard: u64) {
    let limit = libc::rlimit { rlim_cur: soft, rlim_max: hard };
    // SAFETY: a plain system call; what it refuses stays as it is.
    unsafe { libc::setrlimit(which, &limit) };
}

fn size(bytes: u64) -> String {
    match bytes {
        INFINITY => "no limit".to_owned(),
        0..=0xf_ffff => format!("{} KiB", bytes >> 10),
        0x10_0000..=0x3fff_ffff => format!("{} MiB", bytes >> 20),
        _ => format!("{} GiB", bytes.div_ceil(1 << 30)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_rounded_to_what_people_say() {
        assert_eq!([0, 1024, 8 << 20, 3 << 30, (3 << 30) + 1].map(size), ["0 KiB", "1 KiB", "8 MiB", "3 GiB", "4 GiB"]);
    }

    #[test]
    fn refusals_by_limits_say_which() {
        let check = |number: i32, expected: &str| {
            assert!(hint(&io::Error::from_raw_os_error(number)).contains(expected), "{number}");
        };
        check(libc::EMFILE, "ulimit -n");
        check(libc::EAGAIN, "ulimit -u");
        check(libc::ENOMEM, "ulimit -v");
        check(libc::EFBIG, "ulimit -f");
        assert_eq!(hint(&io::Error::from_raw_os_error(libc::EACCES)), "");
    }
}
