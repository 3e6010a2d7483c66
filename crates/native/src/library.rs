//! The runtime library and headers travel inside the executable and are laid out on disk when first needed.
//!
//! Its directory is named by a hash of its bytes, so two versions of gabion never overwrite each other's and a
//! directory that exists is complete (it is filled under another name and renamed). Programs load what lies there, so it is
//! used only where nobody else can write (`private.rs`), and each process compares its bytes before it uses them.

use crate::private;
use crate::scratch::Scratch;
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The shared object that is loaded into every program under test.
pub const RUNTIME: &[u8] = include_bytes!(env!("GABION_RUNTIME"));

/// The header for programs that want to say something to us, and, in a directory of their own, what stands before headers of
/// the C++ library, so that more of it is compiled with the program; and what gdb needs to know of us.
const HEADERS: [(&str, &[u8]); 5] = [
    ("gdb/gabion.py", include_bytes!("../gdb/gabion.py")),
    ("include/gabion.h", include_bytes!("../include/gabion.h")),
    ("include/c++/bits/c++config.h", include_bytes!("../include/c++/bits/c++config.h")),
    ("include/c++/bits/stl_list.h", include_bytes!("../include/c++/bits/stl_list.h")),
    ("include/c++/bits/stl_tree.h", include_bytes!("../include/c++/bits/stl_tree.h")),
];

/// File name and `DT_SONAME` of the runtime.
pub const RUNTIME_NAME: &str = "libgabion_rt.so";

/// Names the directory, and this gabion's way to run programs.
pub const FINGERPRINT: &str = env!("GABION_FINGERPRINT");

/// Directory that holds the runtime library, made if need be.
pub fn directory() -> io::Result<&'static Path> {
    static DIRECTORY: OnceLock<PathBuf> = OnceLock::new();
    if let Some(found) = DIRECTORY.get() {
        return Ok(found);
    }
    let name = format!("rt-{FINGERPRINT}");
    let path = first(|base| lay_out(base, &name))?;
    Ok(DIRECTORY.get_or_init(|| path))
}

/// The cache, in which that directory lies: a private one.
pub(crate) fn base() -> io::Result<&'static Path> {
    Ok(directory()?.parent().expect("internal error: the directory was made inside another"))
}

/// The first of the places for a cache in which this can be done, or why it can be done in none.
fn first(done: impl Fn(&Path) -> io::Result<PathBuf>) -> io::Result<PathBuf> {
    let mut reasons = Vec::new();
    for base in bases() {
        match private::directory(&base).and_then(|base| done(&base)) {
            Ok(done) => return Ok(done),
            Err(error) => {
                let (text, base) = (error.to_string(), base.display().to_string());
                reasons.push(if text.contains(&base) { text } else { format!("{base}: {text}") });
            }
        }
    }
    let reasons = reasons.join("; ");
    Err(io::Error::other(format!("{reasons} (set XDG_CACHE_HOME to a directory that only you can write)")))
}

/// Path of the runtime library itself.
pub fn path() -> io::Result<PathBuf> {
    Ok(directory()?.join(RUNTIME_NAME))
}

/// Directory in which compilers find `gabion.h`.
pub fn include() -> io::Result<PathBuf> {
    Ok(directory()?.join("include"))
}

/// What gdb needs to know of the runtime.
pub fn gdb() -> io::Result<PathBuf> {
    Ok(directory()?.join("gdb/gabion.py"))
}

/// Where caches go, in order of preference. The last resort carries the user's id, so that users do not collide.
fn bases() -> Vec<PathBuf> {
    let absolute = |name| std::env::var_os(name).map(PathBuf::from).filter(|p| p.is_absolute());
    let mut bases = Vec::new();
    bases.extend(absolute("XDG_CACHE_HOME").map(|p| p.join("gabion")));
    bases.extend(absolute("HOME").map(|p| p.join(".cache/gabion")));
    bases.push(std::env::temp_dir().join(format!("gabion-{}", private::me())));
    bases
}

fn lay_out(base: &Path, name: &str) -> io::Result<PathBuf> {
    let wanted = base.join(name);
    if complete(&wanted) {
        return Ok(wanted);
    }
    let scratch = Scratch::within(base)?;
    let fresh = scratch.path().join(name);
    for dir in ["include/c++/bits", "gdb"] {
        fs::create_dir_all(fresh.join(dir))?;
    }
    for (path, bytes) in HEADERS.iter().chain(&[(RUNTIME_NAME, RUNTIME)]) {
        fs::write(fresh.join(path), bytes)?;
    }
    install(&scratch, &fresh, &wanted, complete)?;
    Ok(wanted)
}

/// Puts a directory in its place, for its owner alone to write. One that is there and not as it should be makes way. Others may do the same.
pub(crate) fn install(
    scratch: &Scratch,
    fresh: &Path,
    wanted: &Path,
    complete: impl Fn(&Path) -> bool,
) -> io::Result<()> {
    seal(fresh)?;
    if fs::rename(fresh, wanted).is_ok() || complete(wanted) {
        return Ok(());
    }
    let _ = fs::rename(wanted, scratch.path().join("damaged"));
    match fs::rename(fresh, wanted) {
        Err(error) if !complete(wanted) => Err(error),
        _ => Ok(()),
    }
}

/// Whatever the mask for new files is: read by anybody, written by the owner.
pub(crate) fn seal(path: &Path) -> io::Result<()> {
    let found = fs::symlink_metadata(path)?;
    if found.is_symlink() {
        return Ok(());
    }
    fs::set_permissions(path, fs::Permissions::from_mode(if found.is_dir() { 0o755 } else { 0o644 }))?;
    if found.is_dir() {
        for entry in fs::read_dir(path)? {
            seal(&entry?.path())?;
        }
    }
    Ok(())
}

/// A directory is used only if it and what lies in it is this user's alone, and holds these very bytes.
fn complete(dir: &Path) -> bool {
    private::is_private(dir).is_ok()
        && [(RUNTIME_NAME, RUNTIME)].iter().chain(&HEADERS).all(|(name, bytes)| {
            let file = dir.join(name);
            let inside = file.ancestors().skip(1).take_while(|above| *above != dir);
            inside.into_iter().all(|above| private::is_private(above).is_ok())
                && private::read(&file).is_ok_and(|found| found == *bytes)
        })
}
