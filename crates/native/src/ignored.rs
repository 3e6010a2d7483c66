//! Signals that whoever started gabion wants to be ignored: `nohup` does so with SIGHUP, a shell's `&` in a script with SIGINT.

use libc::{SIG_IGN, SIGHUP, SIGINT, c_int};

/// Those among the signals that end a program which are ignored now.
#[derive(Debug)]
pub struct Ignored(Vec<c_int>);

impl Ignored {
    /// As things stand.
    pub fn now() -> Ignored {
        let is_ignored = |signal: &c_int| {
            // SAFETY: an action of zeros is one; without a new action nothing is changed.
            unsafe {
                let mut action: libc::sigaction = std::mem::zeroed();
                libc::sigaction(*signal, std::ptr::null(), &raw mut action) == 0 && action.sa_sigaction == SIG_IGN
            }
        };
        Ignored([SIGHUP, SIGINT].into_iter().filter(is_ignored).collect())
    }

    /// Whatever has been set for them since, they are ignored again.
    pub fn restore(&self) {
        for signal in &self.0 {
            // SAFETY: ignoring a signal runs no code.
            unsafe { libc::signal(*signal, SIG_IGN) };
        }
    }
}
