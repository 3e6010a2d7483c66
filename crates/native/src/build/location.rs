//! Where in the source the assembly stands, by its `.file` and `.loc` directives.

use std::path::Path;

/// Follows the directives.
#[derive(Default)]
pub(super) struct Location {
    files: Vec<(String, String, Owner)>,
    /// From the last `.loc`, as `x.c:12`.
    pub(super) last: Option<String>,
    pub(super) owner: Owner,
}

/// Whose code it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Owner {
    #[default]
    Program,
    /// Headers of the C++ library, which is trusted.
    Library,
}

impl Location {
    /// `.file 1 "dir" "x.c"` and `.loc 1 12 3`
    pub(super) fn line(&mut self, line: &str) {
        let text = line.trim();
        if let Some(rest) = text.strip_prefix(".file") {
            let rest = rest.trim();
            let number = rest.split_whitespace().next().unwrap_or("");
            let quoted: Vec<&str> = rest.split('"').skip(1).step_by(2).collect();
            if let (true, [before @ .., name]) = (number.parse::<u32>().is_ok(), quoted.as_slice()) {
                let library = quoted.iter().any(|part| part.contains("/include/c++/"));
                let owner = if library { Owner::Library } else { Owner::Program };
                self.files.push((number.to_owned(), named(before.first().copied(), name), owner));
            }
        } else if let Some(rest) = text.strip_prefix(".loc") {
            let mut words = rest.split_whitespace();
            if let (Some(file), Some(line)) = (words.next(), words.next()) {
                let known = self.files.iter().rev().find(|(number, ..)| number == file);
                self.last = known.map(|(_, name, _)| format!("{name}:{line}"));
                self.owner = known.map_or(Owner::Program, |(.., owner)| *owner);
            }
        }
    }
}

/// The name of a file, with its directory if that is not the one in which the compiler works: clang takes a path apart where it leaves that one.
fn named(directory: Option<&str>, name: &str) -> String {
    let elsewhere =
        directory.filter(|directory| std::env::current_dir().is_ok_and(|here| here != Path::new(directory)));
    elsewhere.map_or_else(|| name.to_owned(), |directory| Path::new(directory).join(name).display().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_belongs_to_the_name() {
        let here = std::env::current_dir().expect("a directory").display().to_string();
        let check = |file: &str, expected: &str| {
            let mut location = Location::default();
            location.line(&format!("\t.file\t1 {file} md5 0x12"));
            location.line("\t.loc\t1 12 3");
            assert_eq!(location.last.as_deref(), Some(expected), "{file}");
        };
        check("\"x.c\"", "x.c:12");
        check(&format!("\"{here}\" \"sub/x.c\""), "sub/x.c:12");
        check("\"/elsewhere\" \"sub/x.c\"", "/elsewhere/sub/x.c:12");
        check("\"/elsewhere\" \"/absolute/x.c\"", "/absolute/x.c:12");
    }
}
