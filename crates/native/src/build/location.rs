//! Where in the source the assembly stands, by its `.file` and `.loc` directives.

/// Follows the directives.
#[derive(Default)]
pub(super) struct Location {
    files: Vec<(String, String)>,
    /// From the last `.loc`, as `x.c:12`.
    pub(super) last: Option<String>,
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
                self.files.push((number.to_owned(), (*name).to_owned()));
            }
        } else if let Some(rest) = text.strip_prefix(".loc") {
            let mut words = rest.split_whitespace();
            if let (Some(file), Some(line)) = (words.next(), words.next()) {
                let name = self.files.iter().rev().find(|(number, _)| number == file);
                self.last = name.map(|(_, name)| format!("{name}:{line}"));
            }
        }
    }
}
