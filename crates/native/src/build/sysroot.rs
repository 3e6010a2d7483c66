//! The standard library, rebuilt from its sources with the flags that programs get (decision 0019).
//!
//! It is built once for each compiler and each set of flags, and kept beside the runtime library (`library.rs`), in a directory that
//! is filled under another name and renamed; so one that exists is complete. A list in it has the size and checksum of each file, which are
//! compared at each use: a damaged library is built again. One process at a time builds; others wait for it. Sources are compiled where they lie, as their own workspace and lock file have it; cargo may have to fetch the few
//! crates that the library is made of. What fails is noted, and not tried again for an hour: until then, and wherever there
//! are no sources, programs are linked with the prebuilt library, and verdicts say why.

use std::ffi::OsString;
use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::stamp::RECORD_FORMAT;
use crate::scratch::Scratch;
use crate::{library, lock, private};

/// The only one whose programs can be checked.
const TARGET: &str = "x86_64-unknown-linux-gnu";
/// The crate that stands for all of the library, among its sources.
const MANIFEST: &str = "library/sysroot/Cargo.toml";
/// Longer than any machine takes that one would wait for.
const LIMIT: Duration = Duration::from_secs(30 * 60);
/// How long what has failed is not tried again.
const AGAIN: Duration = Duration::from_secs(60 * 60);
/// Changes when what is built changes otherwise than by its flags.
const VERSION: u32 = 2;

/// The list of what belongs to it.
const LIST: &str = "files";

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
    let base = library::base().map_err(failed)?;
    let wanted = base.join(name(about, flags, RECORD_FORMAT));
    if complete(&wanted) {
        return Ok(wanted);
    }
    let _lock = lock::lock(&wanted.with_extension("lock")).map_err(failed)?;
    if complete(&wanted) {
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
    let scratch = Scratch::within(wanted.parent().expect("internal error: a path in the cache")).map_err(said)?;
    let done = build_in(scratch.path(), about, flags, network)?;
    library::seal(&done).map_err(said)?;
    fs::write(done.join(LIST), list(&done.join(libraries())).map_err(said)?).map_err(said)?;
    library::install(&scratch, &done, wanted, complete).map_err(said)
}

/// Where the library's parts are, in its directory.
fn libraries() -> PathBuf {
    Path::new("lib/rustlib").join(TARGET).join("lib")
}

/// The list for files in this directory, which all are this user's alone: a line for each, and one for the list.
fn list(directory: &Path) -> io::Result<String> {
    let mut lines = Vec::new();
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        let mut file = private::open(&entry.path())?;
        let (mut sum, mut size, mut buffer) = (crc32fast::Hasher::new(), 0, vec![0; 1 << 18]);
        while let n @ 1.. = file.read(&mut buffer)? {
            sum.update(&buffer[..n]);
            size += n;
        }
        lines.push(format!("{:08x} {size} {}\n", sum.finalize(), entry.file_name().to_string_lossy()));
    }
    lines.sort();
    let lines = lines.concat();
    Ok(format!("{lines}{:08x}\n", crc32fast::hash(lines.as_bytes())))
}

/// Is it there, this user's alone, and what was built?
fn complete(directory: &Path) -> bool {
    let libraries = directory.join(libraries());
    let above = libraries.ancestors().take_while(|path| path.starts_with(directory));
    above.into_iter().all(|path| private::is_private(path).is_ok())
        && private::read(&directory.join(LIST))
            .is_ok_and(|listed| list(&libraries).is_ok_and(|found| found.as_bytes() == listed))
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
    let libraries = done.join(libraries());
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
    // Cargo obeys configuration files in every directory above, which other users can write in `/tmp`.
    command.current_dir("/");
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
    fn a_damaged_library_is_not_used() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let at = directory.path().join(libraries());
        fs::create_dir_all(&at).expect("directories");
        fs::write(at.join("libstd.rlib"), "code").expect("a file");
        assert!(!complete(directory.path()), "no list");
        fs::write(directory.path().join(LIST), list(&at).expect("a list")).expect("a file");
        assert!(complete(directory.path()));
        let check = |path: &Path, damaged: &str| {
            let good = fs::read(path).expect("a file");
            fs::write(path, damaged).expect("a file");
            assert!(!complete(directory.path()), "{}: {damaged:?}", path.display());
            fs::write(path, good).expect("a file");
            assert!(complete(directory.path()));
        };
        check(&at.join("libstd.rlib"), "cod");
        check(&at.join("libstd.rlib"), "cofe");
        check(&directory.path().join(LIST), "");
        fs::write(at.join("libcore.rlib"), "more").expect("a file");
        assert!(!complete(directory.path()), "a file more");
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
