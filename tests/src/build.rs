//! Programs compiled once for several calls of `gabion` and for several tests, as `gabion check` itself would compile them.

use crate::header::Header;
use crate::run::{LIMIT, PREBUILT, call, call_with, gabion, target};
use crate::workspace;
use gabion_native::build::{Network, Rustc, StandardLibrary};
use std::collections::hash_map::DefaultHasher;
use std::fs;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// rustc, with the standard library rebuilt.
pub const REBUILT: &str = "rebuilt";

/// clang with its own C++ library.
const LIBCXX: &str = "libc++";

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
    if !is_rust(compiler) && !source.iter().any(|arg| arg == "--compiler") {
        source.extend(["--compiler".into(), driver(path, compiler).into()]);
    }
    let source = Built { program: path.to_path_buf(), args: source };
    let configured = path.with_file_name("gabion.toml").exists();
    if configured || args.iter().any(|arg| arg == "--compiler") {
        return Ok(source);
    }
    let name = path.file_stem().expect("a program has a name");
    let kept = kept().join(compiler).join(path.strip_prefix(workspace()).expect("a program of ours"));
    if kept.join(name).exists() {
        return Ok(Built { program: kept.join(name), args });
    }
    let program = directory.join(name);
    let (wrapper, more) = match (compiler, is_cpp(path)) {
        (name, _) if is_rust(name) => ("rustc", "--edition=2024"),
        (_, true) => ("c++", "-pthread"),
        (_, false) => ("cc", "-pthread"),
    };
    let mut line: Vec<String> = vec![wrapper.into(), path.display().to_string(), "-o".into()];
    line.extend([program.display().to_string(), more.into()]);
    line.extend((compiler == LIBCXX).then(|| "-stdlib=libc++".into()));
    line.extend(flags.iter().flat_map(|flags| flags.split_whitespace()).map(str::to_string));
    let logs = directory.join("build");
    let output = match compiler {
        "rustc" => call(&logs, &line, LIMIT)?,
        REBUILT => call_with(&logs, &line, &[(PREBUILT, "")], LIMIT)?,
        _ => call_with(&logs, &line, &[("CC", driver(path, compiler)), ("CXX", driver(path, compiler))], LIMIT)?,
    };
    if output.code()? != 0 {
        let told = || format!("{} does not compile with {compiler}:\n{}", path.display(), output.tail());
        return if compiler == LIBCXX { Err(told()) } else { Ok(source) };
    }
    // Another test may be as far: whole files change places.
    let told = |e: std::io::Error| format!("{}: {e}", kept.display());
    fs::create_dir_all(&kept).map_err(told)?;
    let whole = tempfile::NamedTempFile::new_in(&kept).map_err(told)?.into_temp_path();
    fs::copy(&program, &whole).map_err(told)?;
    whole.persist(kept.join(name)).map_err(|e| e.to_string())?;
    Ok(Built { program: kept.join(name), args })
}

/// Where compiled programs are kept, as long as neither `gabion` nor anything under `programs/` changes.
fn kept() -> &'static Path {
    static KEPT: OnceLock<PathBuf> = OnceLock::new();
    KEPT.get_or_init(|| {
        let mut hasher = DefaultHasher::new();
        hash_files(gabion(), &mut hasher);
        hash_files(&workspace().join("programs"), &mut hasher);
        let all = target().join("tmp/programs");
        let own = all.join(format!("{:016x}", hasher.finish()));
        for old in fs::read_dir(&all).into_iter().flatten().flatten().filter(|old| old.path() != own) {
            let _ = fs::remove_dir_all(old.path());
        }
        own
    })
}

/// Names, sizes and times of a file, or of all in a directory.
fn hash_files(path: &Path, hasher: &mut DefaultHasher) {
    let Ok(about) = fs::metadata(path) else { return };
    path.hash(hasher);
    if about.is_dir() {
        let mut inside: Vec<PathBuf> = fs::read_dir(path).into_iter().flatten().flatten().map(|e| e.path()).collect();
        inside.sort();
        inside.iter().for_each(|path| hash_files(path, hasher));
    } else {
        (about.len(), about.modified().ok()).hash(hasher);
    }
}

fn is_rust(compiler: &str) -> bool {
    ["rustc", REBUILT].contains(&compiler)
}

/// Why the standard library of Rust cannot be rebuilt here; none: it has been.
pub fn why_not_rebuilt() -> Option<String> {
    // The harness's own process has no word in its environment about it.
    match Rustc::find(None).ok()?.standard_library(Network::Allowed) {
        StandardLibrary::Rebuilt(_) => None,
        StandardLibrary::Prebuilt(why) => Some(why),
    }
}

fn is_cpp(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "cpp")
}

/// The C++ driver for C++ programs.
fn driver<'a>(path: &Path, compiler: &'a str) -> &'a str {
    match (compiler, is_cpp(path)) {
        ("gcc", true) => "g++",
        ("clang", true) => "clang++",
        (LIBCXX, _) => "clang++",
        (name, _) => name,
    }
}
