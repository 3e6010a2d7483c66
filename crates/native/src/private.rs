//! Directories that nobody else can put anything into: whatever we run, load or believe lies in one.
//!
//! A directory is private if it is no symbolic link, belongs to the user that we run as, and only that user can write into
//! it; and if nobody else can put another directory in its place: each one above belongs to that user or to root and is
//! written by nobody else, unless its sticky bit keeps entries with their owners (`/tmp`). Once that has been seen, a path
//! means the same file until that user changes it. (The owner of `/` counts as root: in a user namespace root may have no
//! number.) A new one is for its owner alone. Root is trusted; so are access control lists that widen what the mode says only
//! as far as the mode shows them, which it does in the group's place.

use std::fs::{self, DirBuilder, File, Metadata, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// Others may write.
const WRITABLE: u32 = 0o022;
/// Entries belong to their owners.
const STICKY: u32 = 0o1000;

/// The user that we run as.
pub(crate) fn me() -> u32 {
    // SAFETY: geteuid has no preconditions.
    unsafe { libc::geteuid() }
}

/// A directory of this name that is private, made if need be; its path is without symbolic links. Otherwise the error says why not.
pub(crate) fn directory(path: &Path) -> io::Result<PathBuf> {
    let (parent, name) = path.parent().zip(path.file_name()).ok_or_else(|| refused(path, "it has no name"))?;
    fs::create_dir_all(parent)?;
    let parent = fs::canonicalize(parent)?;
    is_sheltered(&parent)?;
    let path = parent.join(name);
    match DirBuilder::new().mode(0o700).create(&path) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    is_private(&path)?;
    Ok(path)
}

/// Is that directory, in one that is sheltered, private?
pub(crate) fn is_private(path: &Path) -> io::Result<()> {
    let flags = libc::O_DIRECTORY | libc::O_NOFOLLOW | libc::O_CLOEXEC;
    let opened = OpenOptions::new().read(true).custom_flags(flags).open(path);
    let opened = opened.map_err(|error| match error.raw_os_error() {
        Some(libc::ELOOP | libc::ENOTDIR) => refused(path, "it is a symbolic link, or no directory"),
        _ => io::Error::new(error.kind(), format!("{}: {error}", path.display())),
    })?;
    judge(path, &opened.metadata()?)
}

/// Can only this user, and root, put anything in the place of what lies in this directory? The path is without symbolic links.
pub(crate) fn is_sheltered(path: &Path) -> io::Result<()> {
    let root = fs::metadata("/")?.uid();
    for above in path.ancestors() {
        let found = fs::symlink_metadata(above)?;
        if ![0, root, me()].contains(&found.uid()) {
            return Err(refused(above, &format!("it belongs to another user ({})", found.uid())));
        }
        if found.mode() & WRITABLE != 0 && found.mode() & STICKY == 0 {
            return Err(refused(above, "other users can write there, and it has no sticky bit"));
        }
    }
    Ok(())
}

/// A file in a private directory, if the file is this user's alone too.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    let flags = libc::O_NOFOLLOW | libc::O_CLOEXEC | libc::O_NONBLOCK;
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    let found = file.metadata()?;
    if !found.is_file() {
        return Err(refused(path, "it is no regular file"));
    }
    judge(path, &found)?;
    Ok(file)
}

/// Its bytes.
pub(crate) fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn judge(path: &Path, found: &Metadata) -> io::Result<()> {
    if found.uid() != me() {
        return Err(refused(path, &format!("it belongs to another user ({})", found.uid())));
    }
    if found.mode() & WRITABLE != 0 {
        return Err(refused(path, &format!("other users can write to it (mode {:o})", found.mode() & 0o7777)));
    }
    Ok(())
}

fn refused(path: &Path, why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::PermissionDenied, format!("{} is not used: {why}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    #[test]
    fn only_what_is_private_is_used() {
        let place = tempfile::tempdir().expect("a temporary directory");
        let check = |name: &str, prepare: &dyn Fn(&Path), expected: Option<&str>| {
            let path = place.path().join(name);
            prepare(&path);
            match (directory(&path), expected) {
                (Ok(found), None) => {
                    let mode = fs::metadata(found).expect("it is there").mode() & 0o7777;
                    assert_eq!(mode & WRITABLE, 0, "{name}: {mode:o}");
                }
                (Err(error), Some(words)) => assert!(error.to_string().contains(words), "{name}: {error}"),
                (found, _) => panic!("{name}: {found:?}, expected {expected:?}"),
            }
        };
        let make = |path: &Path, mode: u32| {
            fs::create_dir(path).expect("a directory");
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("its mode");
        };
        check("new", &|_| (), None);
        check("new/below/it", &|_| (), None);
        check("readable", &|path| make(path, 0o755), None);
        check("writable", &|path| make(path, 0o777), Some("other users can write to it"));
        check("group", &|path| make(path, 0o770), Some("other users can write to it"));
        check("open/below", &|path| make(path.parent().expect("above"), 0o777), Some("no sticky bit"));
        check("sticky/below", &|path| make(path.parent().expect("above"), 0o1777), None);
        check("link", &|path| symlink(place.path().join("new"), path).expect("a link"), Some("symbolic link"));
        check("file", &|path| fs::write(path, "").expect("a file"), Some("no directory"));
        check("above", &|path| symlink(place.path().join("new"), path).expect("a link"), Some("symbolic link"));
        check("above/it", &|_| (), None); // what a link above leads to is looked at instead
    }

    #[test]
    fn only_files_of_ones_own_are_read() {
        let place = tempfile::tempdir().expect("a temporary directory");
        let path = place.path().join("file");
        fs::write(&path, "text").expect("a file");
        assert_eq!(read(&path).expect("it is ours"), b"text");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o666)).expect("its mode");
        assert!(read(&path).is_err(), "anybody could have written it");
        symlink(&path, place.path().join("link")).expect("a link");
        assert!(read(&place.path().join("link")).is_err(), "a link");
    }
}
