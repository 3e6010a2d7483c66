//! `gabion rustc`: the real rustc with flags added, linked through our linker.
//!
//! The compiler's thread sanitizer is unstable only in name: `RUSTC_BOOTSTRAP` lets a stable rustc have it. The prebuilt
//! standard library stays as it is. Its generic and inline code is compiled, and instrumented, with the program; the rest
//! is trusted, and its waiting modelled (decision 0014). Rust's optimiser announces every access by itself, so our assembler
//! has nothing to do.
//!
//! The default is `opt-level=1` with `debug-assertions`: code of a test build, without the thousand small functions that
//! the standard library consists of before they are inlined. Whatever the user says about either holds.

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{BuildError, run, tools};

/// The linker driver that rustc calls, and that finds our linker through `-B`.
const DRIVER: &str = "cc";

/// Where the user's word comes later and holds.
const FIRST: [&str; 4] = ["-Copt-level=1", "-Cdebug-assertions=yes", "-Ccodegen-units=1", "-Cpanic=unwind"];

/// Where it may not: without debug information nobody knows whose code an access is.
const LAST: [&str; 8] = [
    "-Zsanitizer=thread",
    "-Zexternal-clangrt",
    "-Cunsafe-allow-abi-mismatch=sanitizer",
    "-Cllvm-args=-tsan-instrument-read-before-write=1",
    "-Cllvm-args=-tsan-distinguish-volatile=1",
    "-Cdebuginfo=2",
    "-Clto=off",
    "-Cstrip=none",
];

/// Releases from here on link with their own lld unless told otherwise, and know how to be told.
const OWN_LINKER: u32 = 90;

/// A real rustc.
#[derive(Debug)]
pub struct Rustc {
    program: PathBuf,
    /// As in `1.95.0`: the second number.
    minor: u32,
}

impl Rustc {
    /// The compiler asked for, or that of `RUSTC`, or `rustc`.
    pub fn find(asked: Option<&Path>) -> Result<Rustc, BuildError> {
        let told = env::var_os("RUSTC").filter(|told| tools::on_path(told).is_some_and(|path| !tools::is_us(&path)));
        let name = asked.map(|path| path.as_os_str().to_owned()).or(told).unwrap_or_else(|| OsString::from("rustc"));
        let missing = || BuildError::CompilerNotFound(name.to_string_lossy().into_owned());
        let program = tools::on_path(&name).ok_or_else(missing)?;
        let answer =
            Command::new(&program).arg("--version").output().map_err(BuildError::io("cannot start", &program))?;
        let text = String::from_utf8_lossy(&answer.stdout);
        let minor = text.strip_prefix("rustc 1.").and_then(|rest| rest.split('.').next()?.parse().ok());
        let minor = minor.ok_or_else(|| BuildError::UnknownCompiler(program.clone()))?;
        Ok(Rustc { program, minor })
    }

    /// Its version, as `1.95`.
    pub fn version(&self) -> String {
        format!("1.{}", self.minor)
    }

    /// The whole command.
    fn command(&self, args: &[OsString]) -> Result<Command, BuildError> {
        let mut prefix = OsString::from("-Clink-arg=-B");
        prefix.push(tools::directory()?);
        let mut command = Command::new(&self.program);
        let first = FIRST.iter().filter(|flag| !overridden(flag, args));
        command.args(first).args(args).args(LAST).arg(prefix);
        if self.minor >= OWN_LINKER {
            command.arg("-Clinker-features=-lld");
        }
        let driver =
            tools::on_path(OsStr::new(DRIVER)).ok_or_else(|| BuildError::CompilerNotFound(DRIVER.to_owned()))?;
        command.env("RUSTC_BOOTSTRAP", "1").env(tools::DRIVER, driver).env_remove(tools::LINKER);
        Ok(command)
    }
}

/// Has the user said `-O`, which counts as an option of its own and may not be given beside ours?
fn overridden(flag: &str, args: &[OsString]) -> bool {
    flag.starts_with("-Copt-level") && args.iter().any(|arg| arg == "-O")
}

/// Runs rustc with gabion's flags added and hands back its exit status.
pub fn run_rustc(rustc: Option<&Path>, args: &[OsString]) -> Result<i32, BuildError> {
    run(Rustc::find(rustc)?.command(args)?)
}
