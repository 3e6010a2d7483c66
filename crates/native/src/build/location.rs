//! Where in the source the assembly stands, by its `.file` and `.loc` directives.

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
            if let (true, [.., name]) = (number.parse::<u32>().is_ok(), quoted.as_slice()) {
                let library = quoted.iter().any(|part| part.contains("/include/c++/"));
                let owner = if library { Owner::Library } else { Owner::Program };
                self.files.push((number.to_owned(), (*name).to_owned(), owner));
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
