//! Temporary directories, and the end of those that a killed process has left.
//!
//! They lie in the directory for temporary files if that is sheltered (`private.rs`), else in the cache. As long as a
//! [`Scratch`] lives it holds a lock in its directory, which the kernel gives back however the process ends. [`tidy`] removes
//! directories of this user whose lock nobody has. No moment is unguarded: a directory that is not locked yet is empty or
//! has a lock file that nobody holds; whoever tidies it meanwhile makes the lock fail, and the maker begins again.

use crate::lock::try_lock;
use crate::{library, private};
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// How their names begin.
const PREFIX: &str = "gabion-tmp-";
/// The file in it whose lock is held.
const LOCK: &str = ".gabion-lock";
/// More attempts than anybody tidies at once.
const ATTEMPTS: usize = 16;

/// A directory for this user alone that ends with this value.
#[derive(Debug)]
pub struct Scratch {
    path: PathBuf,
    /// Held, never read; `None` once the directory is to stay.
    lock: Option<File>,
}

impl Scratch {
    /// A new one.
    pub fn new() -> io::Result<Self> {
        Self::within(&base()?)
    }

    /// A new one in this directory.
    pub(crate) fn within(base: &Path) -> io::Result<Self> {
        let mut last = io::Error::other("others remove what is made");
        for _ in 0..ATTEMPTS {
            let path = tempfile::Builder::new().prefix(PREFIX).tempdir_in(base)?.keep();
            match try_lock(&path.join(LOCK)) {
                // Still there: then it is ours.
                Ok(Some(lock)) if lock.metadata()?.nlink() > 0 => return Ok(Scratch { path, lock: Some(lock) }),
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::NotFound => last = error,
                Err(error) => return Err(error),
            }
        }
        Err(last)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Leaves the directory on disk, for good: without a lock file it is nobody's to tidy.
    pub fn keep(mut self) -> PathBuf {
        let _ = fs::remove_file(self.path.join(LOCK));
        self.lock = None;
        self.path.clone()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if self.lock.is_some() {
            let _ = fs::remove_dir_all(&self.path);
        }
    }
}

/// Where they are made.
fn base() -> io::Result<PathBuf> {
    let usual = fs::canonicalize(std::env::temp_dir()).and_then(|path| private::is_sheltered(&path).map(|()| path));
    usual.or_else(|why| match library::base() {
        Ok(base) => Ok(base.to_path_buf()),
        Err(_) => {
            let what = "set TMPDIR to a directory that only you can write, or XDG_CACHE_HOME";
            Err(io::Error::other(format!("{why} ({what})")))
        }
    })
}

/// Removes what processes of this user that are gone have left.
pub fn tidy() {
    let mut places: Vec<PathBuf> = base().into_iter().collect();
    places.extend(library::base().ok().map(Path::to_path_buf));
    places.dedup();
    for entry in places.iter().filter_map(|place| fs::read_dir(place).ok()).flatten().flatten() {
        if entry.file_name().to_str().is_some_and(|name| name.starts_with(PREFIX)) {
            tidy_one(&entry.path());
        }
    }
}

/// Failures are as good as nothing to do: somebody else is at it.
fn tidy_one(path: &Path) {
    let Ok(found) = fs::symlink_metadata(path) else { return };
    if !found.is_dir() || found.uid() != private::me() {
        return;
    }
    let lock = path.join(LOCK);
    if fs::symlink_metadata(&lock).is_err() {
        let _ = fs::remove_dir(path); // if it is empty
    } else if let Ok(Some(_held)) = try_lock(&lock) {
        let _ = fs::remove_dir_all(path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_nobodys_is_removed() {
        let place = tempfile::tempdir().expect("a temporary directory");
        let make = |name: &str, locked: bool| {
            let path = place.path().join(name);
            fs::create_dir(&path).expect("a directory");
            fs::write(path.join("file"), "").expect("a file");
            if locked {
                fs::write(path.join(LOCK), "").expect("a file");
            }
            path
        };
        let living = Scratch::within(place.path()).expect("a directory");
        fs::write(living.path().join("file"), "").expect("a file");
        let (dead, other) = (make("gabion-tmp-dead", true), make("gabion-campaign", true));
        let kept = make("gabion-tmp-kept", false);
        let left = Scratch::within(place.path()).expect("a directory").keep();
        fs::write(left.join("file"), "").expect("a file");
        for path in [living.path(), &dead, &other, &kept, &left] {
            if path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(PREFIX)) {
                tidy_one(path);
            }
        }
        assert!(living.path().join("file").exists(), "its process lives");
        assert!(!dead.exists(), "nobody has its lock");
        assert!(other.exists() && kept.exists() && left.exists(), "none of ours, or meant to stay");
        let path = living.path().to_path_buf();
        drop(living);
        assert!(!path.exists());
    }
}
