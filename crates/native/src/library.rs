//! The runtime library and headers travel inside the executable and are laid out on disk when first needed.
//!
//! Its directory is named by a hash of its bytes, so two versions of gabion never overwrite each other's and a
//! directory that exists is complete (it is filled under another name and renamed).

use std::fs;
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
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

/// Names the directory.
const FINGERPRINT: &str = env!("GABION_FINGERPRINT");

/// Directory that holds the runtime library, made if need be.
pub fn directory() -> io::Result<&'static Path> {
    static DIRECTORY: OnceLock<PathBuf> = OnceLock::new();
    if let Some(found) = DIRECTORY.get() {
        return Ok(found);
    }
    let name = format!("rt-{FINGERPRINT}");
    let mut last = io::Error::other("no directory to keep the runtime library in");
    for base in bases() {
        match lay_out(&base, &name) {
            Ok(path) => return Ok(DIRECTORY.get_or_init(|| path)),
            Err(error) => last = error,
        }
    }
    Err(last)
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
    // SAFETY: geteuid has no preconditions.
    bases.push(std::env::temp_dir().join(format!("gabion-{}", unsafe { libc::geteuid() })));
    bases
}

fn lay_out(base: &Path, name: &str) -> io::Result<PathBuf> {
    let wanted = base.join(name);
    if complete(&wanted) {
        return Ok(wanted);
    }
    fs::create_dir_all(base)?;
    let fresh = tempfile::Builder::new().prefix("rt-new-").tempdir_in(base)?;
    fs::set_permissions(fresh.path(), fs::Permissions::from_mode(0o755))?;
    fs::write(fresh.path().join(RUNTIME_NAME), RUNTIME)?;
    for dir in ["include/c++/bits", "gdb"] {
        fs::create_dir_all(fresh.path().join(dir))?;
    }
    for (path, bytes) in HEADERS {
        fs::write(fresh.path().join(path), bytes)?;
    }
    match fs::rename(fresh.path(), &wanted) {
        Ok(()) => {
            let _ = fresh.keep();
        }
        Err(_) if complete(&wanted) => {} // another gabion was faster
        Err(error) => return Err(error),
    }
    Ok(wanted)
}

/// A directory is trusted only if it is ours and holds these very bytes.
fn complete(dir: &Path) -> bool {
    // SAFETY: geteuid has no preconditions.
    let me = unsafe { libc::geteuid() };
    [(RUNTIME_NAME, RUNTIME)].iter().chain(&HEADERS).all(|(name, bytes)| {
        let file = dir.join(name);
        fs::metadata(&file).is_ok_and(|m| (m.uid() == me || m.uid() == 0) && m.len() == bytes.len() as u64)
            && fs::read(&file).is_ok_and(|found| found == *bytes)
    })
}
