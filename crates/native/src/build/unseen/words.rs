//! Whether the sources of a crate have a word of what is not announced. Whatever is not known counts as if they had.

use std::path::{Path, PathBuf};
use std::{env, fs};

/// Words without which sources have none of it. Functions of `std::arch` are made of either: `_bittestandset` of assembly.
const WORDS: [&str; 8] = ["asm!", "_mm", "__m", "simd", "::arch", "arch::x86", "_xbegin", "_xtest"];
/// Words of a file that is not all of its crate.
const MORE: [&str; 3] = ["mod ", "include!", "#[path"];
/// Files of a crate that are read.
const MOST_FILES: usize = 4096;

/// Do the sources of a crate have such a word? All that lies around its root, and what its build script made.
pub(super) fn may_hide(root: &Path) -> bool {
    let Ok(text) = fs::read(root).map(|text| String::from_utf8_lossy(&text).into_owned()) else { return true };
    if hides(&text) {
        return true;
    }
    let generated = env::var_os("OUT_DIR").map(PathBuf::from);
    let around = root.parent().filter(|_| has(&text, &MORE)).map(Path::to_owned);
    let (mut directories, mut files): (Vec<PathBuf>, usize) = (generated.into_iter().chain(around).collect(), 0);
    while let Some(directory) = directories.pop() {
        let here = if directory.as_os_str().is_empty() { Path::new(".") } else { &directory };
        let Ok(entries) = fs::read_dir(here) else { continue };
        for path in entries.flatten().map(|entry| entry.path()) {
            files += 1;
            let is_source = path.extension().is_some_and(|e| e == "rs");
            let hidden = || fs::read(&path).map_or(true, |text| hides(&String::from_utf8_lossy(&text)));
            if files > MOST_FILES || is_source && path.is_file() && hidden() || path.is_dir() && path.is_symlink() {
                return true;
            }
            if path.is_dir() {
                directories.push(path);
            }
        }
    }
    false
}

fn has(text: &str, words: &[&str]) -> bool {
    words.iter().any(|word| text.contains(word))
}

/// Has the text such a word, or is part of the crate elsewhere?
fn hides(text: &str) -> bool {
    let elsewhere = |line: &str| {
        has(line, &["include!", "#[path"]) && has(line, &["..", "\"/", "concat!", "env!"]) && !line.contains("OUT_DIR")
    };
    has(text, &WORDS) || text.lines().any(elsewhere)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_or_a_file_elsewhere_is_enough() {
        let check = |text: &str, expected: bool| assert_eq!(hides(text), expected, "{text}");
        check("fn main() {}", false);
        check("std::arch::asm!(\"nop\")", true);
        check("use std::arch::x86_64::__m256i;", true);
        check("use std::arch::x86_64::_bittestandset;", true);
        check("use std::{arch::x86_64::*, thread};", true);
        check("let found = search::first();", false);
        check("#[path = \"../x.rs\"] mod x;", true);
        check("#[path = \"x.rs\"] mod x;", false);
        check("include!(\"/usr/x.rs\");", true);
        check("include!(concat!(env!(\"OUT_DIR\"), \"/x.rs\"));", false);
    }
}
