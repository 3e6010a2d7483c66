//! The directory of our assembler and linker, and the way to the real ones.
//!
//! The directory stands beside that of the runtime library and holds symbolic links, named like the tools, to the
//! running gabion. It is named by a hash of where that executable is, so a moved gabion makes itself another one and
//! two gabions never change each other's links.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use super::BuildError;
use crate::scratch::Scratch;
use crate::{library, private};

/// Tells the tools which compiler driver started them: it knows which real tools belong to it.
pub(super) const DRIVER: &str = "GABION_DRIVER";
/// For processes that use this crate without being gabion (tests): the executable that the links are to lead to.
const EXECUTABLE: &str = "GABION_EXECUTABLE";
/// The linker named by clang's `--ld-path=`, which would bypass ours.
pub(super) const LINKER: &str = "GABION_LINKER";

/// Tells the linker why the Rust standard library was not rebuilt.
pub(super) const WHY_PREBUILT: &str = "GABION_WHY_PREBUILT";

/// Tells the linker where the assembly of the Rust crate is that is linked: see `unseen`.
pub(super) const ASSEMBLY: &str = "GABION_ASSEMBLY";
/// And where the same is in the compiler's intermediate language.
pub(super) const INTERMEDIATE: &str = "GABION_INTERMEDIATE";

/// Names under which a driver may look for a tool; the longer ones are asked for with `-fuse-ld=`.
const NAMES: [&str; 6] = ["as", "ld", "ld.bfd", "ld.gold", "ld.lld", "ld.mold"];

/// A tool that gabion stands in for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shim {
    /// The assembler; call [`super::run_as`].
    Assembler,
    /// The linker; call [`super::run_ld`].
    Linker,
}

/// As which tool this process was started, judging by `argv[0]`.
pub fn shim_role(argv0: &OsStr) -> Option<Shim> {
    match Path::new(argv0).file_name()?.to_str()? {
        "as" => Some(Shim::Assembler),
        name if NAMES.contains(&name) => Some(Shim::Linker),
        _ => None,
    }
}

/// The directory to give to the driver with `-B`, made if need be.
pub(super) fn directory() -> Result<PathBuf, BuildError> {
    let base = library::base().map_err(BuildError::io("cannot make", Path::new("a directory for tools")))?;
    let us = executable()?;
    let mut hasher = DefaultHasher::new();
    us.hash(&mut hasher);
    let name = format!("tools-{:016x}", hasher.finish());
    let wanted = base.join(&name);
    if complete(&wanted, &us) {
        return Ok(wanted);
    }
    let failed = |error| BuildError::Io { doing: "cannot make", path: wanted.clone(), error };
    let scratch = Scratch::within(base).map_err(failed)?;
    let fresh = scratch.path().join(name);
    fs::create_dir(&fresh).map_err(failed)?;
    for name in NAMES {
        symlink(&us, fresh.join(name)).map_err(failed)?;
    }
    library::install(&scratch, &fresh, &wanted, |dir| complete(dir, &us)).map_err(failed)?;
    Ok(wanted)
}

/// Links in a directory of this user's alone lead where they led when they were made.
fn complete(dir: &Path, us: &Path) -> bool {
    private::is_private(dir).is_ok()
        && NAMES.iter().all(|name| fs::read_link(dir.join(name)).is_ok_and(|target| target == us))
}

/// Where we are now. The kernel marks an executable that was replaced while running; its successor will do.
fn executable() -> Result<PathBuf, BuildError> {
    if let Some(told) = env::var_os(EXECUTABLE) {
        return Ok(PathBuf::from(told));
    }
    let path = env::current_exe().map_err(BuildError::io("cannot find", Path::new("gabion's own executable")))?;
    let bytes = path.as_os_str().as_bytes();
    Ok(match bytes.strip_suffix(b" (deleted)") {
        Some(before) => PathBuf::from(OsStr::from_bytes(before)),
        None => path,
    })
}

/// Is that file this very program?
pub(super) fn is_us(path: &Path) -> bool {
    match (fs::canonicalize(path), executable().and_then(|us| fs::canonicalize(us).map_err(BuildError::io("", path)))) {
        (Ok(path), Ok(us)) => path == us,
        _ => false,
    }
}

/// The first executable of that name on the search path that is not ours, or the path itself if it is one.
pub(super) fn on_path(name: &OsStr) -> Option<PathBuf> {
    let usable = |path: &Path| fs::metadata(path).is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0);
    if name.as_bytes().contains(&b'/') {
        return Some(PathBuf::from(name)).filter(|path| usable(path));
    }
    env::split_paths(&env::var_os("PATH")?).map(|dir| dir.join(name)).find(|path| usable(path) && !is_us(path))
}

/// The real tool that `argv0` stands in for.
pub(super) fn real(argv0: &OsStr) -> Result<PathBuf, BuildError> {
    let name = Path::new(argv0).file_name().unwrap_or_default();
    let found = of_driver(name).filter(|path| !is_us(path)).or_else(|| on_path(name));
    found.ok_or_else(|| BuildError::ToolNotFound(name.to_string_lossy().into_owned()))
}

/// What the driver itself would have run. Its own variables lead to us and are kept from the question.
fn of_driver(name: &OsStr) -> Option<PathBuf> {
    let mut question = OsString::from("-print-prog-name=");
    question.push(name);
    let answer = Command::new(env::var_os(DRIVER)?)
        .arg(question)
        .env_remove("COMPILER_PATH")
        .env_remove("GCC_EXEC_PREFIX")
        .output()
        .ok()?;
    let path = answer.stdout.trim_ascii_end();
    on_path(OsStr::from_bytes(path)).filter(|path| path.is_absolute())
}
