//! Locks on files (`flock`): held as long as the file is open, so the end of a process, however it comes, gives them back.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// Takes the lock of this file, which is made if need be; `None`: another process has it.
pub fn try_lock(path: &Path) -> io::Result<Option<File>> {
    let file = open(path)?;
    Ok(take(&file, libc::LOCK_NB)?.then_some(file))
}

/// The same, as soon as nobody else has it.
pub(crate) fn lock(path: &Path) -> io::Result<File> {
    let file = open(path)?;
    take(&file, 0)?;
    Ok(file)
}

/// A file of ours: no symbolic link, nothing that could hold up whoever opens it, not inherited by programs.
fn open(path: &Path) -> io::Result<File> {
    let flags = libc::O_NOFOLLOW | libc::O_CLOEXEC | libc::O_NONBLOCK;
    OpenOptions::new().read(true).write(true).create(true).truncate(false).mode(0o600).custom_flags(flags).open(path)
}

fn take(file: &File, how: i32) -> io::Result<bool> {
    loop {
        // SAFETY: a descriptor that is open as long as `file` lives.
        if unsafe { libc::flock(file.as_raw_fd(), libc::LOCK_EX | how) } == 0 {
            return Ok(true);
        }
        match io::Error::last_os_error() {
            error if error.kind() == io::ErrorKind::WouldBlock => return Ok(false),
            error if error.kind() == io::ErrorKind::Interrupted => {}
            error => return Err(error),
        }
    }
}
