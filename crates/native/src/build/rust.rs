//! `gabion rustc`: the real rustc with flags added, linked through our linker.
//!
//! The compiler's thread sanitizer is unstable only in name: `RUSTC_BOOTSTRAP` lets a stable rustc have it. The standard
//! library is rebuilt with the same flags where its sources are there (`sysroot`). Otherwise the prebuilt one stays as it is: its
//! generic and inline code is compiled, and instrumented, with the program; the rest is trusted. Its waiting is
//! modelled either way (decision 0014). The compiler announces every access by itself, so our assembler has nothing to do; inline assembly
//! and the processor's own functions for vectors are looked for by `unseen`.
//!
//! The default is `opt-level=1` with `debug-assertions`: code of a test build, without the thousand small functions that
//! the standard library consists of before they are inlined. Whatever the user says about either holds.

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;

use super::sysroot::{self, About, Network};
use super::unseen::Unit;
use super::{BuildError, run, tools};

/// The linker driver that rustc calls, and that finds our linker through `-B`.
const DRIVER: &str = "cc";

/// Where the user's word comes later and holds.
const FIRST: [&str; 4] = ["-Copt-level=1", "-Cdebug-assertions=yes", "-Ccodegen-units=1", "-Cpanic=unwind"];

/// What makes code announce its accesses: the thread sanitizer's pass, which knows only accesses of 1, 2, 4, 8 and 16 bytes, and after it
/// the address sanitizer's, which knows all, with calls of ours in place of its own (`runtime/abi/hooks.rs`) and without everything else it does.
const INSTRUMENTED: [&str; 14] = [
    "-Zsanitizer=thread",
    "-Zexternal-clangrt",
    "-Cunsafe-allow-abi-mismatch=sanitizer",
    "-Cllvm-args=-tsan-instrument-read-before-write=1",
    "-Cllvm-args=-tsan-distinguish-volatile=1",
    "-Cpasses=forceattrs,asan",
    "-Cllvm-args=-force-attribute=sanitize_address",
    "-Cllvm-args=-asan-memory-access-callback-prefix=__gabion_any_",
    "-Cllvm-args=-asan-instrumentation-with-call-threshold=0",
    // Accesses that it takes for harmless are to escaped variables on the stack and to global ones, or repeat another.
    "-Cllvm-args=-asan-opt=0",
    "-Cllvm-args=-asan-use-stack-safety=0",
    "-Cllvm-args=-asan-stack=0 -asan-globals=0 -asan-constructor-kind=none",
    // The optimiser joins accesses to vectors, which hardware does not access at once.
    "-Cno-vectorize-loops",
    "-Cno-vectorize-slp",
];

/// Where it may not: without debug information nobody knows whose code an access is; optimised at link time (cargo has crates written as bitcode
/// for that) it would be compiled by the linker, which is ours.
const LAST: [&str; 4] = ["-Cdebuginfo=2", "-Clto=off", "-Clinker-plugin-lto=no", "-Cstrip=none"];

/// With a prebuilt library: its generic code is compiled with the program, and announces what it does, also where the library has an instance
/// for the same types (the growing of a `Vec`).
const OWN_INSTANCES: &str = "-Zshare-generics=no";

/// Of ours among the compiler's: the standard library is to be linked as it came.
const PREBUILT: &str = "--prebuilt-std";
/// The same in the environment, for all compilers that are started there: why.
const PREBUILT_VARIABLE: &str = "GABION_PREBUILT_STD";
/// Questions to the compiler, which then compiles nothing.
const QUESTIONS: [&str; 6] = ["--print", "-V", "-vV", "--version", "--help", "-h"];

/// Releases from here on link with their own lld unless told otherwise, and know how to be told.
const OWN_LINKER: u32 = 90;

/// A real rustc.
#[derive(Debug)]
pub struct Rustc {
    program: PathBuf,
    about: About,
    /// As in `1.95.0`: the second number.
    minor: u32,
}

/// Which standard library programs are linked with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StandardLibrary {
    /// The one that was rebuilt, instrumented: where it is.
    Rebuilt(PathBuf),
    /// As it came with the compiler: why.
    Prebuilt(String),
}

impl Rustc {
    /// The compiler asked for, or that of `RUSTC`, or `rustc`.
    pub fn find(asked: Option<&Path>) -> Result<Rustc, BuildError> {
        let told = env::var_os("RUSTC").filter(|told| tools::on_path(told).is_some_and(|path| !tools::is_us(&path)));
        let name = asked.map(|path| path.as_os_str().to_owned()).or(told).unwrap_or_else(|| OsString::from("rustc"));
        let missing = || BuildError::CompilerNotFound(name.to_string_lossy().into_owned());
        let program = tools::on_path(&name).ok_or_else(missing)?;
        let ask = |question: &[&str]| {
            let answer = Command::new(&program).args(question).output();
            let answer = answer.map_err(BuildError::io("cannot start", &program))?;
            Ok(String::from_utf8_lossy(answer.stdout.trim_ascii_end()).into_owned())
        };
        let version = ask(&["-vV"])?;
        let minor = version.strip_prefix("rustc 1.").and_then(|rest| rest.split('.').next()?.parse().ok());
        let minor = minor.ok_or_else(|| BuildError::UnknownCompiler(program.clone()))?;
        let about = About { version, sysroot: PathBuf::from(ask(&["--print", "sysroot"])?) };
        Ok(Rustc { program, about, minor })
    }

    /// Its version, as `1.95`.
    pub fn version(&self) -> String {
        format!("1.{}", self.minor)
    }

    /// Are the sources of its standard library installed?
    pub fn has_sources(&self) -> bool {
        self.about.has_sources()
    }

    /// The library for its programs, rebuilt if that can be done.
    pub fn standard_library(&self, network: Network) -> StandardLibrary {
        if let Some(why) = env::var(PREBUILT_VARIABLE).ok().filter(|why| !why.is_empty()) {
            return StandardLibrary::Prebuilt(why);
        }
        match sysroot::find(&self.about, &INSTRUMENTED, network) {
            Ok(directory) => StandardLibrary::Rebuilt(directory),
            Err(why) => StandardLibrary::Prebuilt(why),
        }
    }

    /// The library that these arguments ask for; none: they compile nothing, or not for us.
    fn library_for(&self, args: &[OsString]) -> Option<StandardLibrary> {
        let among = |words: &[&str]| args.iter().any(|arg| words.iter().any(|word| arg == word));
        let begins = |word: &str| args.iter().any(|arg| arg.to_str().is_some_and(|arg| arg.starts_with(word)));
        if among(&QUESTIONS) || begins("--print=") || begins("--sysroot") || args.is_empty() {
            return None;
        }
        if among(&[PREBUILT]) {
            return Some(StandardLibrary::Prebuilt(PREBUILT.to_owned()));
        }
        Some(self.standard_library(Network::Allowed))
    }

    /// The whole command.
    fn command(&self, args: &[OsString]) -> Result<(Command, Option<Unit>), BuildError> {
        let library = self.library_for(args);
        let args: Vec<&OsString> = args.iter().filter(|arg| *arg != PREBUILT).collect();
        let unit = if library.is_some() { Unit::of(&args)? } else { None };
        let mut prefix = OsString::from("-Clink-arg=-B");
        prefix.push(tools::directory()?);
        let mut command = Command::new(&self.program);
        let first = FIRST.iter().filter(|flag| !overridden(flag, &args));
        command.args(first).args(&args).args(INSTRUMENTED).args(LAST).arg(prefix);
        if self.minor >= OWN_LINKER {
            command.arg("-Clinker-features=-lld");
        }
        let driver =
            tools::on_path(OsStr::new(DRIVER)).ok_or_else(|| BuildError::CompilerNotFound(DRIVER.to_owned()))?;
        command.env("RUSTC_BOOTSTRAP", "1").env(tools::DRIVER, driver).env_remove(tools::LINKER);
        // Where its sources are installed, the compiler would name them instead of the places where they were compiled.
        command.args(self.about.remapping());
        match library {
            Some(StandardLibrary::Rebuilt(directory)) => drop(command.arg("--sysroot").arg(directory)),
            Some(StandardLibrary::Prebuilt(why)) => drop(command.arg(OWN_INSTANCES).env(tools::WHY_PREBUILT, why)),
            None => {}
        }
        if let Some(unit) = &unit {
            command.args(unit.arguments()).envs(unit.variables());
        }
        Ok((command, unit))
    }
}

/// Has the user said `-O`, which counts as an option of its own and may not be given beside ours?
fn overridden(flag: &str, args: &[&OsString]) -> bool {
    flag.starts_with("-Copt-level") && args.iter().any(|arg| *arg == "-O")
}

/// Runs rustc with gabion's flags added and hands back its exit status.
pub fn run_rustc(rustc: Option<&Path>, args: &[OsString]) -> Result<i32, BuildError> {
    let (command, unit) = Rustc::find(rustc)?.command(args)?;
    let status = run(command)?;
    if let Some(unit) = unit.filter(|_| status == 0) {
        unit.written()?;
    }
    Ok(status)
}

/// Has compilers that a command starts through us link the standard library as it came.
pub fn with_prebuilt_library(command: &mut Command, why: &str) {
    command.env(PREBUILT_VARIABLE, why);
}
