//! What a link loaded: objects and members of archives, and whose they are.

use super::BuildError;
use super::frameworks;
use super::reach::Owner;
use object::read::archive::ArchiveFile;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Objects and archives of the compiler and the C library that carry no stamp and need none.
const TRUSTED: [&str; 27] = [
    "crt1.o",
    "Scrt1.o",
    "gcrt1.o",
    "grcrt1.o",
    "rcrt1.o",
    "Mcrt1.o",
    "crti.o",
    "crtn.o",
    "crtbegin.o",
    "crtbeginS.o",
    "crtbeginT.o",
    "crtend.o",
    "crtendS.o",
    "crtfastmath.o",
    "crtprec32.o",
    "crtprec64.o",
    "crtprec80.o",
    "libgcc.a",
    "libgcc_eh.a",
    "libc_nonshared.a",
    "libpthread_nonshared.a",
    "libssp_nonshared.a",
    "libmvec_nonshared.a",
    "libstdc++.a",
    "libsupc++.a",
    "libstdc++fs.a",
    "libclang_rt.builtins-x86_64.a",
];

/// An input that was really loaded: an object, or a member of an archive.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Input {
    pub(super) file: PathBuf,
    member: Option<String>,
}

/// `x.o`, `(libx.a)member.o` (GNU ld) or `libx.a(member.o)` (the others).
pub(super) fn input(line: &[u8]) -> Option<Input> {
    let path = |bytes| PathBuf::from(OsStr::from_bytes(bytes));
    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
    let found = if path(line).is_file() {
        Input { file: path(line), member: None }
    } else if let Some(rest) = line.strip_prefix(b"(") {
        let close = rest.iter().position(|byte| *byte == b')')?;
        Input { file: path(&rest[..close]), member: Some(text(&rest[close + 1..])) }
    } else {
        let open = line.strip_suffix(b")")?.iter().rposition(|byte| *byte == b'(')?;
        Input { file: path(&line[..open]), member: Some(text(&line[open + 1..line.len() - 1])) }
    };
    found.file.is_file().then_some(found)
}

/// Whose an input is, by its name and that of its source.
pub(super) fn owner(input: &Input, source: Option<&str>) -> Owner {
    let framework = frameworks::of_library(&input.file).or_else(|| source.and_then(frameworks::of_unit));
    if framework.is_some() { Owner::Framework } else { Owner::Program }
}

/// What `read` makes of an input.
pub(super) fn parts<T>(input: &Input, mut read: impl FnMut(&[u8]) -> Result<T, String>) -> Result<Vec<T>, BuildError> {
    let path = &input.file;
    let malformed = |why: String| BuildError::Malformed { path: path.clone(), why };
    let bytes = fs::read(path).map_err(BuildError::io("cannot read", path))?;
    let Some(member) = &input.member else {
        return Ok(vec![read(&bytes).map_err(malformed)?]);
    };
    let archive = ArchiveFile::parse(&*bytes).map_err(|error| malformed(error.to_string()))?;
    let mut found = Vec::new();
    // Several members may have one name: then all of them count.
    for candidate in archive.members() {
        let candidate = candidate.map_err(|error| malformed(error.to_string()))?;
        let name = OsStr::from_bytes(candidate.name());
        let named = name == OsStr::new(member) || Path::new(name).file_name() == Path::new(member).file_name();
        if !named {
            continue;
        }
        let part = if candidate.is_thin() {
            let beside = path.parent().unwrap_or(Path::new("")).join(name);
            read(&fs::read(&beside).map_err(BuildError::io("cannot read", &beside))?)
        } else {
            read(candidate.data(&*bytes).map_err(|error| malformed(error.to_string()))?)
        };
        found.push(part.map_err(malformed)?);
    }
    Ok(found)
}

/// It is named as such and lies where systems and compilers are installed, not in somebody's project.
pub(super) fn is_trusted(file: &Path) -> bool {
    let known = file.file_name().is_some_and(|name| TRUSTED.iter().any(|trusted| name == *trusted));
    let path = fs::canonicalize(file).unwrap_or_else(|_| file.to_owned());
    let parts: Vec<_> = path.components().map(|part| part.as_os_str()).collect();
    let of_compiler = parts
        .windows(2)
        .any(|pair| pair[0] == "gcc" || pair[0] == "clang" && path.components().any(|part| part.as_os_str() == "lib"));
    known && (path.starts_with("/usr") || path.starts_with("/lib") || path.starts_with("/nix/store") || of_compiler)
}

/// A prebuilt library of a Rust toolchain: `lib/rustlib/TARGET/lib/libstd-HASH.rlib` and its like.
pub(super) fn is_standard(file: &Path) -> bool {
    let mut above = file.ancestors().skip(1).map(|directory| directory.file_name().and_then(OsStr::to_str));
    let target = [above.next(), above.next(), above.next()];
    file.extension() == Some(OsStr::new("rlib"))
        && matches!(target, [Some(Some("lib")), Some(Some(_)), Some(Some("rustlib"))])
}

/// Temporary names of one-step builds mean nothing to anybody; the source's name does.
pub(super) fn place(input: &Input, source: Option<String>) -> String {
    let file = input.file.display();
    match &input.member {
        Some(member) => format!("{file}({member})"),
        None if input.file.starts_with(std::env::temp_dir()) && is_temporary(&input.file) => {
            source.unwrap_or_else(|| "an assembly file".to_owned())
        }
        None => file.to_string(),
    }
}

/// gcc's: `cc` and six letters; clang's: a name, a dash and hexadecimal digits.
fn is_temporary(file: &Path) -> bool {
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    let gcc = stem.len() == 8 && stem.starts_with("cc");
    let clang = stem.rsplit_once('-').is_some_and(|(_, tail)| tail.bytes().all(|b| b.is_ascii_hexdigit()));
    gcc || clang
}
