//! What a program sees of where it is started: its environment, its directory, the permissions of new files.
//!
//! A trace holds all of it, and a replay gives the program the same wherever it is made. A trace may be shown to others, and
//! an environment holds secrets, so a program gets only a part of the caller's: what the C library and the loader go by, and
//! what the program, or a library of its own, has the name of in its code or data. Nothing else can make a difference, unless
//! a name is put together while the program runs, or all variables are listed: such a program finds what was handed on, and
//! `--env` adds to that (decision 0021).

use crate::build::is_trusted_library;
use gabion_trace::Surroundings;
use object::elf::SHF_ALLOC;
use object::{Object, ObjectSection, SectionFlags};
use std::collections::{BTreeMap, HashMap};
use std::path::Path;

/// Read by the C library, the loader, and libraries that everybody trusts.
const ALWAYS: [&str; 15] = [
    "HOME",
    "PATH",
    "USER",
    "LOGNAME",
    "TMPDIR",
    "TZ",
    "TZDIR",
    "LANG",
    "LANGUAGE",
    "LOCPATH",
    "NLSPATH",
    "LD_LIBRARY_PATH",
    "GLIBC_TUNABLES",
    "GLIBCXX_TUNABLES",
    "GETCONF_DIR",
];
/// Names that begin so: put together of parts, by the C library and by Google Test.
const ALWAYS_WITH: [&str; 2] = ["LC_", "GTEST_"];
/// A backtrace of a panic takes a thousand times as long as the run; `--env` asks for one all the same. The shell's `_` differs
/// from command to command.
const NEVER: [&str; 6] = ["RUST_BACKTRACE", "RUST_LIB_BACKTRACE", "_", "SHLVL", "LD_PRELOAD", "LD_BIND_NOW"];
/// A name that is shorter stands in any program by chance, and must stand there as a text of its own.
const SHORT: usize = 4;

/// Of a program that is started from here, under this name: of its executable and the libraries that it loads.
pub fn of<'p>(name: String, files: impl Iterator<Item = &'p Path>) -> Surroundings {
    let all: BTreeMap<String, String> = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect();
    let mut wanted: BTreeMap<&str, bool> = all
        .keys()
        .filter(|name| !NEVER.contains(&name.as_str()) && !name.starts_with("GABION_") && !name.is_empty())
        .map(|name| {
            (name.as_str(), ALWAYS.contains(&name.as_str()) || ALWAYS_WITH.iter().any(|first| name.starts_with(first)))
        })
        .collect();
    for file in files.filter(|file| !file.file_name().is_some_and(|name| is_trusted_library(&name.to_string_lossy()))) {
        mark(&std::fs::read(file).unwrap_or_default(), &mut wanted);
    }
    let environment =
        wanted.into_iter().filter(|(_, wanted)| *wanted).map(|(name, _)| (name.to_owned(), all[name].clone()));
    Surroundings {
        name,
        environment: environment.collect(),
        directory: std::env::current_dir().unwrap_or_default(),
        umask: umask(),
    }
}

/// Marks the names that stand in what is loaded of a file.
fn mark(file: &[u8], names: &mut BTreeMap<&str, bool>) {
    let mut open: HashMap<[u8; 2], Vec<(&str, &mut bool)>> = HashMap::new();
    for (name, found) in names.iter_mut().filter(|(_, found)| !**found) {
        let bytes = name.as_bytes();
        open.entry([bytes[0], bytes.get(1).copied().unwrap_or(0)]).or_default().push((name, found));
    }
    let Ok(parsed) = object::File::parse(file) else { return };
    let loaded = |section: &object::Section<'_, '_>| match section.flags() {
        SectionFlags::Elf { sh_flags } => sh_flags & u64::from(SHF_ALLOC) != 0,
        _ => false,
    };
    for data in parsed.sections().filter(loaded).filter_map(|section| section.data().ok()) {
        for at in 0..data.len() {
            let pair = [data[at], data.get(at + 1).copied().unwrap_or(0)];
            let Some(candidates) = open.get_mut(&pair) else { continue };
            for (name, found) in candidates.iter_mut() {
                **found |= stands_at(data, at, name.as_bytes());
            }
        }
    }
}

/// Does a name stand there? Short ones only as a whole: other letters beside them make another word.
fn stands_at(data: &[u8], at: usize, name: &[u8]) -> bool {
    let is_letter = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    let (before, after) = (at.checked_sub(1).and_then(|at| data.get(at)), data.get(at + name.len()));
    data[at..].starts_with(name) && (name.len() >= SHORT || !is_letter(before) && !is_letter(after))
}

/// The process's own, which only setting it tells otherwise.
fn umask() -> u32 {
    const USUAL: u32 = 0o022;
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("Umask:"));
    line.and_then(|mask| u32::from_str_radix(mask.trim(), 8).ok()).unwrap_or(USUAL)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_where_they_stand() {
        let check = |data: &str, name: &str, expected: bool| {
            let found = (0..data.len()).any(|at| stands_at(data.as_bytes(), at, name.as_bytes()));
            assert_eq!(found, expected, "{name} in {data:?}");
        };
        check("\0FOO\0", "FOO", true);
        check("FOO=", "FOO", true);
        check("BAFOOT", "FOO", false);
        check("no such fileWORKERSWORK", "WORKERS", true); // texts of Rust lie side by side
        check("WORKER", "WORKERS", false);
    }

    #[test]
    fn of_its_own_code_every_program_mentions_what_it_asks_for() {
        let own = std::env::current_exe().expect("a test is a program");
        // A name that stands nowhere as a whole.
        let not_mentioned: String = "EREHWON_NOIBAG".chars().rev().collect();
        let mut names = BTreeMap::from([("GABION_MENTIONED_HERE", false), (not_mentioned.as_str(), false)]);
        mark(&std::fs::read(own).expect("it can be read"), &mut names);
        assert_eq!(names.into_values().collect::<Vec<_>>(), [true, false]);
    }
}
