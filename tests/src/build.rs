//! Programs compiled once for several calls of `gabion`, as `gabion check` itself would compile them.

use crate::header::Header;
use crate::run::{call, call_with};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Wall-clock limit of a compiler.
const LIMIT: Duration = Duration::from_secs(60);

/// What to check, and how.
#[derive(Clone, Debug)]
pub struct Built {
    /// The executable; the source where that does not compile, or is compiled as a file beside it says.
    pub program: PathBuf,
    /// The header's options; without those for a compiler if there is an executable.
    pub args: Vec<String>,
}

/// Compiles a program with a compiler of its header.
pub fn build(directory: &Path, path: &Path, header: &Header, compiler: &str) -> Result<Built, String> {
    let mut args = Vec::new();
    let mut flags = None;
    let mut options = header.args.iter();
    while let Some(option) = options.next() {
        match option.as_str() {
            "--cflags" => flags = options.next(),
            _ => args.push(option.clone()),
        }
    }
    let mut source = header.args.clone();
    if compiler != "rustc" && !source.iter().any(|arg| arg == "--compiler") {
        source.extend(["--compiler".into(), driver(path, compiler).into()]);
    }
    let source = Built { program: path.to_path_buf(), args: source };
    let configured = path.with_file_name("gabion.toml").exists();
    if configured || args.iter().any(|arg| arg == "--compiler") {
        return Ok(source);
    }
    let program = directory.join(path.file_stem().expect("a program has a name"));
    let (wrapper, more) = match (compiler, is_cpp(path)) {
        ("rustc", _) => ("rustc", "--edition=2024"),
        (_, true) => ("c++", "-pthread"),
        (_, false) => ("cc", "-pthread"),
    };
    let mut line: Vec<String> = vec![wrapper.into(), path.display().to_string(), "-o".into()];
    line.extend([program.display().to_string(), more.into()]);
    line.extend(flags.iter().flat_map(|flags| flags.split_whitespace()).map(str::to_string));
    let logs = directory.join("build");
    let output = match compiler {
        "rustc" => call(&logs, &line, LIMIT)?,
        _ => call_with(&logs, &line, &[("CC", driver(path, compiler)), ("CXX", driver(path, compiler))], LIMIT)?,
    };
    Ok(if output.code()? == 0 { Built { program, args } } else { source })
}

fn is_cpp(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "cpp")
}

/// The C++ driver for C++ programs.
fn driver<'a>(path: &Path, compiler: &'a str) -> &'a str {
    match (compiler, is_cpp(path)) {
        ("gcc", true) => "g++",
        ("clang", true) => "clang++",
        (name, _) => name,
    }
}
