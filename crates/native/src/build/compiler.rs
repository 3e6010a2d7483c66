//! Which compiler is the real one.
//!
//! `CC` and `CXX` may hold arguments too (`ccache gcc`) and, in a build that was told `CC="gabion cc"`, name ourselves:
//! then they say nothing about the real compiler and are passed over.

use std::env;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{BuildError, tools};

/// What is being compiled, which decides what is linked in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// `gabion cc`
    C,
    /// `gabion c++`
    Cxx,
}

/// Whose driver it is; the two differ in how instrumentation is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Family {
    Gcc,
    Clang,
}

/// A real compiler driver.
#[derive(Debug)]
pub(super) struct Compiler {
    pub(super) program: PathBuf,
    /// Words that came with it in `CC` or `CXX`.
    pub(super) arguments: Vec<OsString>,
    pub(super) family: Family,
}

impl Compiler {
    /// The compiler asked for, or that of the environment, or the first installed one.
    pub(super) fn find(language: Language, asked: Option<&Path>) -> Result<Compiler, BuildError> {
        let (variable, defaults) = match language {
            Language::C => ("CC", ["gcc", "clang"]),
            Language::Cxx => ("CXX", ["g++", "clang++"]),
        };
        if let Some(asked) = asked {
            return Compiler::new(vec![asked.as_os_str().to_owned()]);
        }
        if let Some(words) = env::var_os(variable).and_then(|value| split(&value)).filter(|words| !is_gabion(words)) {
            return Compiler::new(words);
        }
        let installed = defaults.iter().find(|name| tools::on_path(OsStr::new(name)).is_some());
        let name = installed.ok_or_else(|| BuildError::CompilerNotFound(defaults.join(" or ")))?;
        Compiler::new(vec![OsString::from(name)])
    }

    fn new(mut words: Vec<OsString>) -> Result<Compiler, BuildError> {
        let arguments = words.split_off(1);
        let name = words.remove(0);
        let program =
            tools::on_path(&name).ok_or_else(|| BuildError::CompilerNotFound(name.to_string_lossy().into_owned()))?;
        let family = family(&program, &arguments)?;
        Ok(Compiler { program, arguments, family })
    }
}

/// Words of a `CC`-like variable; nothing if it is empty.
fn split(value: &OsStr) -> Option<Vec<OsString>> {
    let words = shlex::bytes::split(value.as_bytes())?;
    (!words.is_empty()).then(|| words.into_iter().map(OsString::from_vec).collect())
}

fn is_gabion(words: &[OsString]) -> bool {
    let program = Path::new(&words[0]);
    program.file_name() == Some(OsStr::new("gabion")) || tools::on_path(&words[0]).is_some_and(|p| tools::is_us(&p))
}

/// By its name if that is telling, else by asking it: `cc` and `c++` may be either.
fn family(program: &Path, arguments: &[OsString]) -> Result<Family, BuildError> {
    let name = program.file_name().unwrap_or_default().to_string_lossy();
    if name.contains("clang") {
        return Ok(Family::Clang);
    }
    if name.contains("gcc") || name.contains("g++") {
        return Ok(Family::Gcc);
    }
    let answer = Command::new(program)
        .args(arguments)
        .arg("--version")
        .env("LC_ALL", "C")
        .output()
        .map_err(BuildError::io("cannot start", program))?;
    let text = String::from_utf8_lossy(&answer.stdout);
    if text.contains("clang") {
        Ok(Family::Clang)
    } else if text.contains("Free Software Foundation") {
        Ok(Family::Gcc)
    } else {
        Err(BuildError::UnknownCompiler(program.to_owned()))
    }
}
