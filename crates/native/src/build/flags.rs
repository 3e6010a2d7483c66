//! The flags that gabion adds, and the arguments that cannot be had together with it.
//!
//! What gcc 12 does with libc's memory functions under `-fsanitize=thread`, seen at -O0 to -O3 and -Os: calls folded
//! early into assignments are announced; calls expanded late (`memset`, `memcpy`, `strcpy` of a constant, `bzero` even
//! at -O0; `memcmp` for equality and `strcmp` with a literal from -O1; everything as `rep stos`/`rep movs` at -Os) are
//! not. The flags keep them as calls, which the runtime interposes. `strlen` is left alone: it stays a call, and
//! without the builtin `static int n = strlen("x");` would no longer compile. clang 14 keeps all of them as calls by
//! itself.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use super::compiler::{Compiler, Family};
use super::{BuildError, tools};
use crate::library;

/// Functions that gcc would expand without announcing what they touch.
const KEPT_AS_CALLS: [&str; 18] = [
    "memcpy",
    "memmove",
    "memset",
    "memcmp",
    "mempcpy",
    "bcopy",
    "bzero",
    "bcmp",
    "strcpy",
    "stpcpy",
    "strncpy",
    "stpncpy",
    "strcat",
    "strncat",
    "sprintf",
    "snprintf",
    "vsprintf",
    "vsnprintf",
];

const GCC: [&str; 7] = [
    // What -fno-builtin leaves inline: sizes known only as a range, -Os, and comparisons with a literal.
    "-mmemcpy-strategy=libcall:-1:noalign",
    "-mmemset-strategy=libcall:-1:noalign",
    "--param=builtin-string-cmp-inline-length=0",
    // Else `strcmp(a, "xy") == 0` with an array becomes a comparison of memory at -O2, which is expanded.
    "-fno-optimize-strlen",
    "--param=tsan-distinguish-volatile=1",
    "-fsanitize=thread",
    "-g",
];

const CLANG: [&str; 11] = [
    // Else members of a local struct and elements of a local array are not announced even if the address of the
    // whole escapes: the instrumentation asks that of the member's address alone. So no use is looked at, and every
    // variable counts as known to others. Our assembler takes out what is announced for nothing.
    "-mllvm",
    "-capture-tracking-max-uses-to-explore=0",
    "-mllvm",
    "-tsan-distinguish-volatile=1",
    // Else the load of a read-modify-write happens before its only hook.
    "-mllvm",
    "-tsan-instrument-read-before-write=1",
    "-fno-sanitize-link-runtime",
    // As gcc does from C++14 on, so that a `delete` says of which size it takes its block to be.
    "-fsized-deallocation",
    // Our assembler has to see the text.
    "-fno-integrated-as",
    "-fsanitize=thread",
    "-g",
];

/// They make accesses of 32 bytes and more, which clang does not announce. Each with what asks for it; `-O2` does so
/// too, so this has to come after it.
const VECTORISERS: [(&str, [&str; 2]); 2] = [
    ("-fno-vectorize", ["-fvectorize", "-ftree-vectorize"]),
    ("-fno-slp-vectorize", ["-fslp-vectorize", "-ftree-slp-vectorize"]),
];

/// Sanitizers that share nothing with ours: their runtimes want the same memory or the same functions.
const CONFLICTS: [&str; 11] = [
    "address",
    "hwaddress",
    "kernel-address",
    "kernel-hwaddress",
    "leak",
    "memory",
    "kernel-memory",
    "dataflow",
    // Stacks in two parts, of which the runtime gives threads one.
    "safe-stack",
    "shadow-call-stack",
    "scudo",
];

/// Depth to which response files may name response files.
const RESPONSE_DEPTH: usize = 16;

/// The whole command: ours first where the user's may override (`-g0`, `-fno-sanitize=thread` for one file), ours last
/// where they may not.
pub(super) fn command(compiler: &Compiler, args: &[OsString]) -> Result<Command, BuildError> {
    let expanded = expand(args);
    refuse(&[compiler.arguments.as_slice(), &expanded].concat())?;
    let tools = tools::directory()?;
    let mut prefix = OsString::from("-B");
    prefix.push(&tools);
    let mut command = Command::new(&compiler.program);
    command.args(&compiler.arguments).env(tools::DRIVER, &compiler.program).env_remove(tools::LINKER);
    match compiler.family {
        Family::Gcc => {
            command.arg(prefix).args(KEPT_AS_CALLS.iter().map(|name| format!("-fno-builtin-{name}"))).args(GCC);
        }
        Family::Clang => {
            // Unlike -Qunused-arguments, this leaves the user's own unused arguments to be warned about, which
            // configuration scripts rely on.
            command.arg("--start-no-unused-arguments").arg(prefix).args(CLANG).arg("--end-no-unused-arguments");
        }
    }
    // After `--` come only files.
    let end = args.iter().position(|arg| arg == "--").unwrap_or(args.len());
    for arg in &args[..end] {
        match arg.as_bytes().strip_prefix(b"--ld-path=") {
            Some(path) => command.env(tools::LINKER, OsStr::from_bytes(path)),
            None => command.arg(arg),
        };
    }
    let headers = header_directory()?;
    command.args(last(compiler.family, &expanded)).arg("-isystem").arg(headers.join("c++"));
    command.arg("-idirafter").arg(headers).args(&args[end..]);
    Ok(command)
}

/// Where `gabion.h` is: looked at after everything else, so that nobody's own header of that name is hidden. What stands
/// before headers of the C++ library is in a directory below.
fn header_directory() -> Result<PathBuf, BuildError> {
    library::include().map_err(BuildError::io("cannot lay out", Path::new("gabion.h")))
}

/// Link-time optimisation would assemble behind our back; fortified functions (`__memcpy_chk`) would bypass the
/// interposed ones. `-U` alone, because a source may define `_FORTIFY_SOURCE` itself and must not see it redefined.
fn last(family: Family, expanded: &[OsString]) -> Vec<&'static str> {
    let mut flags = vec!["-fno-lto", "-U_FORTIFY_SOURCE"];
    if expanded.iter().any(|arg| arg.as_bytes().starts_with(b"-Wp,")) {
        flags.push("-Wp,-U_FORTIFY_SOURCE"); // gcc hands these on after all -U
    }
    if family == Family::Clang {
        flags.insert(0, "--start-no-unused-arguments");
        let wanted = |names: [&str; 2]| expanded.iter().any(|arg| names.iter().any(|name| arg == name));
        flags.extend(VECTORISERS.iter().filter(|(_, asked)| !wanted(*asked)).map(|(off, _)| *off));
        flags.push("--end-no-unused-arguments");
    }
    flags
}

fn refuse(expanded: &[OsString]) -> Result<(), BuildError> {
    let words = || expanded.iter().filter_map(|arg| arg.to_str());
    let mut wanted: Vec<&str> = Vec::new();
    for word in words() {
        if let Some(list) = word.strip_prefix("-fsanitize=") {
            wanted.extend(list.split(','));
        } else if let Some(list) = word.strip_prefix("-fno-sanitize=") {
            wanted.retain(|name| list != "all" && !list.split(',').any(|off| off == *name));
        }
    }
    if let Some(conflict) = wanted.iter().find(|name| CONFLICTS.contains(name)) {
        return Err(BuildError::SanitizerConflict((*conflict).to_owned()));
    }
    if let Some(flag) = words().find(|word| ["-m32", "-mx32", "-m16"].contains(word)) {
        return Err(BuildError::Architecture(flag.to_owned()));
    }
    refuse_target(words())?;
    refuse_stacks(words())?;
    if let Some(flag) = words().find(|word| ["-pg", "-p"].contains(word)) {
        return Err(BuildError::Profiler(flag.to_owned()));
    }
    let stops_early = words().any(|word| ["-c", "-S", "-E", "-M", "-MM", "-fsyntax-only", "-r"].contains(&word));
    match words().find(|word| ["-static", "--static", "-static-pie"].contains(word)) {
        Some(flag) if !stops_early => Err(BuildError::Static(flag.to_owned())),
        _ => Ok(()),
    }
}

/// clang compiles for any machine and system.
fn refuse_target<'w>(words: impl Iterator<Item = &'w str>) -> Result<(), BuildError> {
    let mut target = None;
    let mut next = false;
    for word in words {
        if next {
            target = Some(word);
        }
        target = word.strip_prefix("--target=").or_else(|| word.strip_prefix("-target=")).or(target);
        next = word == "-target" || word == "--target";
    }
    let is_ours = |target: &str| {
        let machine = target.split('-').next().unwrap_or_default();
        ["x86_64", "amd64"].contains(&machine) && target.contains("linux") && !target.contains("x32")
    };
    match target.filter(|target| !is_ours(target)) {
        Some(other) => Err(BuildError::Architecture(format!("--target={other}"))),
        None => Ok(()),
    }
}

/// gcc's stacks that grow in pieces: each function asks the thread's storage for the end of the piece that it is on.
fn refuse_stacks<'w>(words: impl Iterator<Item = &'w str>) -> Result<(), BuildError> {
    let last = words.filter(|word| ["-fsplit-stack", "-fno-split-stack"].contains(word)).last();
    if last == Some("-fsplit-stack") { Err(BuildError::SplitStack) } else { Ok(()) }
}

/// The arguments with response files replaced by their contents. Only looked at, never handed on.
pub(super) fn expand(args: &[OsString]) -> Vec<OsString> {
    let mut expanded = Vec::new();
    expand_into(args, RESPONSE_DEPTH, &mut expanded);
    expanded
}

fn expand_into(args: &[OsString], depth: usize, into: &mut Vec<OsString>) {
    for arg in args {
        let file = arg.as_bytes().strip_prefix(b"@").filter(|_| depth > 0);
        match file.and_then(|name| fs::read(Path::new(OsStr::from_bytes(name))).ok()) {
            Some(text) => expand_into(&words(&text), depth - 1, into),
            None => into.push(arg.clone()),
        }
    }
}

/// Words of a response file: blanks separate, quotes group, a backslash takes the next byte as it is, even in quotes.
fn words(text: &[u8]) -> Vec<OsString> {
    let mut words = Vec::new();
    let mut word: Option<Vec<u8>> = None;
    let mut quote = None;
    let mut bytes = text.iter().copied();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' => word.get_or_insert_default().extend(bytes.next()),
            _ if quote == Some(byte) => quote = None,
            b'"' | b'\'' if quote.is_none() => {
                quote = Some(byte);
                word.get_or_insert_default();
            }
            _ if quote.is_none() && byte.is_ascii_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(byte),
        }
    }
    words.extend(word);
    words.into_iter().map(OsString::from_vec).collect()
}

/// The linker of clang's `--ld-path=`, kept for our own.
pub(super) fn asked_linker() -> Option<OsString> {
    env::var_os(tools::LINKER)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn response_files_are_split_like_gcc_does() {
        let check = |text: &str, expected: &[&str]| assert_eq!(words(text.as_bytes()), expected);
        check("-c a.c\n -o\ta.o ", &["-c", "a.c", "-o", "a.o"]);
        check(r#""a b" 'c "d' e\ f "" g"h i"j"#, &["a b", r#"c "d"#, "e f", "", "gh ij"]);
        check("", &[]);
    }
}
