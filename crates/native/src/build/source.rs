//! One source file to an executable, for `gabion check file.c`.
//!
//! No `-O` is added: the program is checked as the compiler makes it by default, where every access in the source is one
//! in the program and `while (!flag);` is still a loop. Whoever wants what an optimiser makes of it says
//! `--cflags -O2`. `-pthread` is added because hardly any program of interest links without it.
//!
//! The compiler runs in the user's directory on the name the user gave, and nothing of the temporary directory gets
//! into the executable, so two builds of one file have the same bytes.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::{BuildError, Language, run_compiler, run_rustc};
use crate::scratch::Scratch;

/// A file alone does not say which edition it is of; cargo's default for new crates.
const EDITION: &str = "--edition=2024";

/// How to compile.
#[derive(Clone, Debug, Default)]
pub struct BuildOptions {
    /// Overrides `CC`, `CXX` and the default.
    pub compiler: Option<PathBuf>,
    /// Added after ours.
    pub cflags: Vec<String>,
}

/// An executable that lives as long as this value.
#[derive(Debug)]
pub struct Built {
    path: PathBuf,
    _directory: Scratch,
}

impl Built {
    /// The executable.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Leaves the executable on disk and hands over its path.
    pub fn keep(self) -> PathBuf {
        self._directory.keep();
        self.path
    }
}

/// The language of a source file, by the endings that gcc knows.
fn language(source: &Path) -> Language {
    match source.extension().and_then(|ending| ending.to_str()) {
        Some("cc" | "cpp" | "cxx" | "c++" | "cp" | "CPP" | "C" | "ii") => Language::Cxx,
        _ => Language::C,
    }
}

/// Compiles one file; the compiler's own messages go to standard error.
pub fn build_source(source: &Path, options: &BuildOptions) -> Result<Built, BuildError> {
    if !source.is_file() {
        let error = std::io::Error::from(std::io::ErrorKind::NotFound);
        return Err(BuildError::Io { doing: "cannot read", path: source.to_owned(), error });
    }
    let directory = Scratch::new().map_err(BuildError::io("cannot make", Path::new("a temporary directory")))?;
    let path = directory.path().join(source.file_stem().unwrap_or_default());
    // A name with a leading dash is no option.
    let named = if source.as_os_str().as_encoded_bytes().starts_with(b"-") {
        Path::new(".").join(source)
    } else {
        source.into()
    };
    let is_rust = source.extension().is_some_and(|ending| ending == "rs");
    let mut args: Vec<OsString> = vec![named.into(), "-o".into(), path.clone().into()];
    args.push(if is_rust { EDITION.into() } else { "-pthread".into() });
    // Libraries among the flags must follow the source to be searched for it.
    args.extend(options.cflags.iter().map(OsString::from));
    let compiler = options.compiler.as_deref();
    let status = if is_rust { run_rustc(compiler, &args) } else { run_compiler(language(source), compiler, &args) };
    match status? {
        0 => Ok(Built { path, _directory: directory }),
        _ => Err(BuildError::DoesNotCompile(source.to_owned())),
    }
}
