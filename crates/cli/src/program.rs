//! From the name of a program to an executable, with a clear word for every way in which that fails.

use anyhow::{Result, anyhow, bail};
use gabion_native::build::{self, BuildError, BuildOptions, Built};
use gabion_native::{Launch, surroundings};
use gabion_trace::{Program, Surroundings};
use std::io::Read;
use std::path::{Path, PathBuf};

const SOURCES: &[&str] = &["c", "cc", "cpp", "cxx", "c++", "cp", "C", "CPP", "i", "ii", "rs"];

/// An executable, kept as long as this lives if it was built here.
#[derive(Debug)]
pub(crate) struct Executable {
    path: PathBuf,
    _built: Option<Built>,
}

fn is_source(path: &Path) -> bool {
    path.extension().and_then(|e| e.to_str()).is_some_and(|ending| SOURCES.contains(&ending))
}

/// The program, with its source known to itself (`__FILE__`, `file!`) by the name under which it was recorded, wherever it lies.
pub(crate) fn known_as(mut program: Program, name: &Path) -> Program {
    if is_source(&program.path) && program.path != name {
        let map =
            if name.extension().is_some_and(|e| e == "rs") { "--remap-path-prefix" } else { "-fmacro-prefix-map" };
        program.cflags.push(format!("{map}={}={}", program.path.display(), name.display()));
    }
    program
}

/// Builds a source file, or examines an executable.
pub(crate) fn prepare(program: &Program) -> Result<Executable> {
    let path = &program.path;
    let shown = path.display();
    let metadata = std::fs::metadata(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => anyhow!("no such file: {shown}"),
        _ => anyhow!("cannot read {shown}: {error}"),
    })?;
    if metadata.is_dir() {
        bail!("{shown} is a directory; name a .c, .cpp or .rs file, or an executable");
    }
    if !metadata.is_file() {
        bail!("{shown} is not a regular file; name a .c, .cpp or .rs file, or an executable");
    }
    if is_source(path) {
        let options = BuildOptions { compiler: program.compiler.clone(), cflags: program.cflags.clone() };
        let built = build::build_source(path, &options).map_err(explain)?;
        return Ok(Executable { path: built.path().to_path_buf(), _built: Some(built) });
    }
    if !is_elf(path)? {
        bail!("{shown} is neither a C, C++ or Rust source file (.c, .cc, .cpp, .cxx, .rs) nor an ELF executable");
    }
    if !program.cflags.is_empty() || program.compiler.is_some() {
        bail!(
            "{shown} is an executable: --cflags and --compiler are for source files; compile it with `gabion cc` or `gabion rustc`"
        );
    }
    build::inspect(path).map_err(explain)?;
    let path = std::path::absolute(path).map_err(|error| anyhow!("cannot resolve {shown}: {error}"))?;
    Ok(Executable { path, _built: None })
}

/// Hash of what a program reads, if that can be read.
pub(crate) fn input(path: &Path) -> Option<u64> {
    std::fs::read(path).ok().map(|bytes| gabion_native::hash(&bytes))
}

impl Executable {
    /// The program's surroundings (environment, directory, arguments), taken from this process. A program that was compiled for this check is named after its source.
    pub(crate) fn surroundings(&self, source: &Path) -> Surroundings {
        let own = source.file_stem().unwrap_or_default().to_string_lossy();
        let name = if self._built.is_some() { format!("./{own}") } else { self.path.display().to_string() };
        surroundings::of(name, [self.path.as_path()].into_iter())
    }

    /// How to start it. Paths are made absolute: the program may run in another directory.
    pub(crate) fn launch(&self, program: &Program) -> Result<Launch> {
        let mut launch = Launch::new(&self.path);
        launch.args = program.args.iter().map(Into::into).collect();
        launch.surroundings.clone_from(&program.surroundings);
        launch.env = program.env.iter().map(|(name, value)| (name.into(), value.into())).collect();
        if let Some(stdin) = &program.stdin {
            std::fs::File::open(stdin).map_err(|error| anyhow!("cannot read {}: {error}", stdin.display()))?;
            launch.stdin = Some(std::path::absolute(stdin)?);
        }
        if let Some(cwd) = &program.cwd {
            if !cwd.is_dir() {
                bail!("no such directory: {}", cwd.display());
            }
            launch.cwd = Some(std::path::absolute(cwd)?);
        }
        Ok(launch)
    }
}

fn is_elf(path: &Path) -> Result<bool> {
    let mut magic = [0; 4];
    let mut file = std::fs::File::open(path).map_err(|error| anyhow!("cannot read {}: {error}", path.display()))?;
    Ok(file.read_exact(&mut magic).is_ok() && &magic == b"\x7fELF")
}

/// The error, and what to do next.
fn explain(error: BuildError) -> anyhow::Error {
    let advice = match &error {
        BuildError::DoesNotCompile(_) => "the compiler's messages are above; --cflags hands it flags",
        BuildError::CompilerNotFound(_) => "install it, or name another one with --compiler",
        BuildError::NotElf(_) => "name a .c, .cpp or .rs file, or a program that a linker made",
        BuildError::WrongArchitecture(_) => "only x86-64 programs can be checked",
        BuildError::StaticExecutable(_) => "link it without -static",
        _ => return error.into(),
    };
    anyhow!("{error}; {advice}")
}
