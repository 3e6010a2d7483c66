//! The standard library, rebuilt from its sources with the flags that programs get (decision 0019).
//!
//! It is built once for each compiler and each set of flags, and kept beside the runtime library (`library.rs`), in a directory that
//! is filled under another name and renamed; so one that exists is complete. One process at a time builds; others wait for
//! it. Sources are compiled where they lie, as their own workspace and lock file have it; cargo may have to fetch the few
//! crates that the library is made of. What fails is noted, and not tried again for an hour: until then, and wherever there
//! are no sources, programs are linked with the prebuilt library, and verdicts say why.

use std::ffi::OsString;
use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::stamp::RECORD_FORMAT;
use crate::library;

/// The only one whose programs can be checked.
const TARGET: &str = "x86_64-unknown-linux-gnu";
/// The crate that stands for all of the library, among its sources.
const MANIFEST: &str = "library/sysroot/Cargo.toml";
/// Longer than any machine takes that one would wait for.
const LIMIT: Duration = Duration::from_secs(30 * 60);
/// How long what has failed is not tried again.
const AGAIN: Duration = Duration::from_secs(60 * 60);
/// Changes when what is built changes otherwise than by its flags.
const VERSION: u32 = 1;

/// Beyond those of programs. Debug information without types, but of every crate: programs may be linked with an instance of a
/// function from any of them.
const FLAGS: [&str; 3] = ["-Zforce-unstable-if-unmarked", "--cap-lints=allow", "-Cdebuginfo=1"];
/// One unit for each crate, like the prebuilt library.
const PROFILE: [(&str, &str); 2] =
    [("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "1"), ("CARGO_PROFILE_RELEASE_PANIC", "unwind")];

/// What a compiler says about itself.
#[derive(Clone, Debug, Default, Hash)]
pub(super) struct About {
    /// `rustc -vV`.
    pub(super) version: String,
    /// `rustc --print sysroot`.
    pub(super) sysroot: PathBuf,
}

impl About {
    fn field(&self, name: &str) -> Option<&str> {
        self.version.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }

    /// The sources, as rustup installs them.
    fn sources(&self) -> PathBuf {
        self.sysroot.join("lib/rustlib/src/rust")
    }

    pub(super) fn has_sources(&self) -> bool {
        self.sources().join(MANIFEST).is_file()
    }

    /// Gives the sources the name that they have in the prebuilt library.
    pub(super) fn remapping(&self) -> Option<OsString> {
        let mut flag = OsString::from("--remap-path-prefix=");
        flag.push(self.sources());
        flag.push(format!("=/rustc/{}", self.field("commit-hash")?));
        Some(flag)
    }

    /// A tool of the same toolchain, or whatever has that name.
    fn tool(&self, name: &str) -> PathBuf {
        Some(self.sysroot.join("bin").join(name)).filter(|path| path.is_file()).unwrap_or_else(|| PathBuf::from(name))
    }
}

/// Whether cargo may use the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Network {
    /// As it is configured.
    Allowed,
    /// What is not here already cannot be had.
    Forbidden,
}

/// Differs with the compiler, the flags, and the records that objects carry: a linker of ours takes no others.
fn name(about: &About, flags: &[&str], records: &str) -> String {
    let mut hasher = DefaultHasher::new();
    (VERSION, records, about, flags, FLAGS, PROFILE).hash(&mut hasher);
    format!("std-{:016x}", hasher.finish())
}

/// The directory for `--sysroot`, built if need be; or why the prebuilt library has to do.
pub(super) fn find(about: &About, flags: &[&str], network: Network) -> Result<PathBuf, String> {
    if about.field("host") != Some(TARGET) {
        return Err(format!("it is rebuilt only for {TARGET}"));
    }
    if !about.has_sources() || about.field("commit-hash").is_none() {
        return Err("its sources are not installed: rustup component add rust-src".to_owned());
    }
    let failed = |error: io::Error| format!("there is no place to keep it: {error}");
    let beside = library::directory().map_err(failed)?;
    let base = beside.parent().expect("the runtime's directory was made inside another");
    let wanted = base.join(name(about, flags, RECORD_FORMAT));
    if wanted.is_dir() {
        return Ok(wanted);
    }
    let lock = File::create(wanted.with_extension("lock")).map_err(failed)?;
    // SAFETY: a descriptor that is open as long as `lock` lives; its end, however it comes, gives the lock back.
    if unsafe { libc::flock(lock.as_raw_fd(), libc::LOCK_EX) } != 0 {
        return Err(failed(io::Error::last_os_error()));
    }
    if wanted.is_dir() {
        return Ok(wanted); // somebody else built it meanwhile
    }
    let note = wanted.with_extension("failed");
    let recent = fs::metadata(&note)
        .and_then(|found| found.modified())
        .is_ok_and(|at| at.elapsed().is_ok_and(|age| age < AGAIN));
    if let (true, Ok(why)) = (recent, fs::read_to_string(&note)) {
        return Err(why);
    }
    eprintln!("gabion: building Rust's standard library, once for this compiler (a minute or two)");
    match build(about, flags, network, &wanted) {
        Ok(()) => {
            let _ = fs::remove_file(&note);
            Ok(wanted)
        }
        Err(why) => {
            let why = format!("it could not be rebuilt: {why}");
            if network == Network::Allowed {
                let _ = fs::write(&note, &why);
            }
            Err(why)
        }
    }
}

fn build(about: &About, flags: &[&str], network: Network, wanted: &Path) -> Result<(), String> {
    let said = |error: io::Error| error.to_string();
    // Nobody else uses it while we hold the lock. What a killed builder has left goes first.
    let fresh = wanted.with_extension("new");
    let _ = fs::remove_dir_all(&fresh);
    fs::create_dir(&fresh).map_err(said)?;
    let built = build_in(&fresh, about, flags, network);
    let kept = built.and_then(|done| fs::rename(done, wanted).map_err(said));
    let _ = fs::remove_dir_all(&fresh);
    kept
}

/// Builds it within a directory; gives what is to be kept.
fn build_in(fresh: &Path, about: &About, flags: &[&str], network: Network) -> Result<PathBuf, String> {
    let said = |error: io::Error| error.to_string();
    let target = fresh.join("target");
    let log = fresh.join("log");
    let mut command = cargo(about, flags, network);
    command.arg("--target-dir").arg(&target).stderr(File::create(&log).map_err(said)?);
    if !run(command)? {
        return Err(complaint(&log));
    }
    let done = fresh.join("done");
    let libraries = done.join("lib/rustlib").join(TARGET).join("lib");
    fs::create_dir_all(&libraries).map_err(said)?;
    for entry in fs::read_dir(target.join(TARGET).join("release/deps")).map_err(said)? {
        let path = entry.map_err(said)?.path();
        if let Some(name) = path.file_name().filter(|_| path.extension().is_some_and(|ending| ending == "rlib")) {
            fs::rename(&path, libraries.join(name)).map_err(said)?;
        }
    }
    Ok(done)
}

/// The whole command, but for where it puts things.
fn cargo(about: &About, flags: &[&str], network: Network) -> Command {
    let sources = about.sources();
    let mut encoded = OsString::from(flags.iter().chain(&FLAGS).copied().collect::<Vec<_>>().join("\x1f"));
    if let Some(flag) = about.remapping() {
        encoded.push("\x1f");
        encoded.push(flag);
    }
    // What it is made of, from any registry.
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    if let Some(home) = home.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cargo"))) {
        encoded.push("\x1f--remap-path-prefix=");
        encoded.push(home.join("registry/src"));
        encoded.push("=/rust/deps");
    }
    let mut command = Command::new(about.tool("cargo"));
    command.args(["build", "--release", "--locked", "--features", "backtrace", "--target", TARGET, "--manifest-path"]);
    command.arg(sources.join(MANIFEST)).args((network == Network::Forbidden).then_some("--offline"));
    // Nothing of what surrounds us is meant for it: neither wrappers of compilers nor a project's settings.
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("CARGO_PROFILE_") || text.starts_with("CARGO_BUILD_") || text.starts_with("CARGO_TARGET_") {
            command.env_remove(&name);
        }
    }
    for name in ["RUSTC_WRAPPER", "RUSTC_WORKSPACE_WRAPPER", "RUSTFLAGS", "CARGO_ENCODED_RUSTDOCFLAGS", "MAKEFLAGS"] {
        command.env_remove(name);
    }
    command.envs(PROFILE).env("CARGO_ENCODED_RUSTFLAGS", encoded).env("RUSTC", about.tool("rustc"));
    // Beside crates of the same names in a program.
    command.env("RUSTC_BOOTSTRAP", "1").env("__CARGO_DEFAULT_LIB_METADATA", "gabion");
    command.current_dir(library::directory().unwrap_or(Path::new("/")));
    command.stdin(Stdio::null()).stdout(Stdio::null());
    command
}

/// Did it end well?
fn run(mut command: Command) -> Result<bool, String> {
    let mut child = command.spawn().map_err(|error| format!("cannot start cargo: {error}"))?;
    let started = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Ok(status.success()),
            Ok(None) if started.elapsed() < LIMIT => std::thread::sleep(Duration::from_millis(50)),
            Ok(None) => {
                let _ = child.kill();
                let _ = child.wait();
                return Err(format!("cargo took more than {} minutes", LIMIT.as_secs() / 60));
            }
            Err(error) => return Err(format!("cannot wait for cargo: {error}")),
        }
    }
}

/// The line in which cargo, or a compiler, first says what is wrong.
fn complaint(log: &Path) -> String {
    let text = fs::read(log).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let said = text.lines().map(str::trim).find(|line| line.starts_with("error"));
    said.unwrap_or("cargo failed without a word").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_sources_the_reason_is_said() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let check = |version: &str, expected: &str| {
            let about = About { version: version.to_owned(), sysroot: directory.path().to_owned() };
            let why = find(&about, &[], Network::Forbidden).expect_err("there is nothing to build");
            assert!(why.contains(expected), "{why}");
        };
        check("rustc 1.95.0\nhost: x86_64-unknown-linux-gnu\nrelease: 1.95.0", "rustup component add rust-src");
        check("rustc 1.95.0\nhost: aarch64-unknown-linux-gnu", "only for x86_64-unknown-linux-gnu");
    }

    #[test]
    fn a_library_for_each_format_of_records() {
        let about = About::default();
        assert_eq!(name(&about, &["-g"], "5"), name(&about, &["-g"], "5"));
        assert_ne!(name(&about, &["-g"], "5"), name(&about, &["-g"], "6"));
        assert_ne!(name(&about, &["-g"], "5"), name(&about, &["-O"], "5"));
    }

    #[test]
    fn what_cargo_says_is_kept_in_a_line() {
        let check = |log: &str, expected: &str| {
            let file = tempfile::NamedTempFile::new().expect("a temporary file");
            fs::write(file.path(), log).expect("it can be written");
            assert_eq!(complaint(file.path()), expected);
        };
        check("   Compiling core\nerror: no network\n\nCaused by:\n  error\n", "error: no network");
        check("", "cargo failed without a word");
    }
}
