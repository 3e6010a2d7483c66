//! Whether a library has documentation tests. `rustdoc` compiles and runs them, and they are not checked.
//!
//! It is asked of the text: a block of code in a documentation comment that `rustdoc` takes to be Rust. Missed, either way: what macros,
//! attributes (`#[doc]`) or other files (`include_str!`) put into documentation, comments of the form `/** */`, blocks that are indented or begin
//! with tildes, and modules outside of the library's directory.

use std::path::Path;

/// Words after the three backquotes with which a block is still a test.
const RUST: [&str; 7] =
    ["rust", "should_panic", "no_run", "compile_fail", "test_harness", "standalone", "standalone_crate"];

/// Directories below each other that are looked into.
const DEPTH: u32 = 16;

/// Has the library with this root any?
pub(super) fn are_in(root: &Path) -> bool {
    root.parent().is_some_and(|directory| below(directory, DEPTH))
}

fn below(directory: &Path, depth: u32) -> bool {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).any(|path| match path.is_dir() {
        true => depth > 0 && below(&path, depth - 1),
        false => {
            path.extension().is_some_and(|extension| extension == "rs")
                && std::fs::read_to_string(&path).is_ok_and(|source| has(&source))
        }
    })
}

fn has(source: &str) -> bool {
    let mut open = false;
    for line in source.lines().map(str::trim_start) {
        let Some(text) = line.strip_prefix("///").or_else(|| line.strip_prefix("//!")) else {
            open = false; // a comment's end is a block's end
            continue;
        };
        let Some(words) = text.trim().strip_prefix("```") else { continue };
        if !open && is_rust(words) {
            return true;
        }
        open = !open;
    }
    false
}

fn is_rust(words: &str) -> bool {
    let mut words = words.split([',', ' ', '{', '}']).filter(|word| !word.is_empty());
    words.all(|word| RUST.contains(&word) || word.starts_with("edition") || is_error(word))
}

/// The number of an error that the compiler is to give: `E0434`.
fn is_error(word: &str) -> bool {
    word.strip_prefix('E').is_some_and(|number| number.len() == 4 && number.bytes().all(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::has;

    #[test]
    fn blocks_of_rust_are_tests() {
        let check = |source: &str, expected: bool| assert_eq!(has(source), expected, "{source}");
        check("/// ```\n/// let a = 1;\n/// ```\npub fn f() {}\n", true);
        check("    //! ```rust,no_run\n    //! ```\n", true);
        check("/// ```compile_fail,E0434\n/// ```\n", true);
        check("/// ```text\n/// ```\npub fn f() {}\n", false);
        check("/// ```sh\n/// ls\n/// ```\n/// then\n/// ```ignore\n/// ```\n", false);
        check("// ```\nlet text = \"```\";\n", false);
        check("/// ```text\nfn f() {}\n/// ```\n/// ```\n", true);
    }
}
