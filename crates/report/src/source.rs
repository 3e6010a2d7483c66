//! Lines of source files, for showing.

use crate::visible::visible;
use gabion_trace::{Frame, TraceFile};
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

/// Larger files are not shown.
const MAX_FILE: u64 = 8 << 20;
/// Lines beyond this are not shown.
const MAX_LINES: u32 = 1 << 20;
/// Lines before and after one that a trace file mentions.
const AROUND: u32 = 4;

/// Where source lines come from.
#[derive(Debug, Default)]
pub struct Sources {
    files: RefCell<HashMap<String, Option<Vec<String>>>>,
    /// Names of the directory we are in: the real one, and the one the user knows it by.
    bases: Vec<PathBuf>,
    disk: bool,
}

impl Sources {
    /// From disk; places below one of `bases` are shown relative to it.
    pub fn from_disk(bases: impl IntoIterator<Item = PathBuf>) -> Self {
        Sources { bases: bases.into_iter().collect(), disk: true, ..Self::default() }
    }

    /// From memory.
    pub fn from_text(files: &[(&str, &str)]) -> Self {
        let lines = |text: &str| Some(text.lines().map(str::to_owned).collect());
        let files = files.iter().map(|(name, text)| (name.to_string(), lines(text))).collect();
        Sources { files: RefCell::new(files), ..Self::default() }
    }

    /// Those that a trace file carries; from disk if it carries none.
    pub fn of_file(file: &TraceFile, bases: impl IntoIterator<Item = PathBuf>) -> Self {
        let whole = |lines: &BTreeMap<u32, String>| {
            let last = lines.keys().next_back().copied().unwrap_or(0).min(MAX_LINES);
            Some((1..=last).map(|line| lines.get(&line).cloned().unwrap_or_default()).collect())
        };
        let files = file.sources.iter().map(|(name, lines)| (name.clone(), whole(lines))).collect();
        let disk = file.sources.is_empty();
        Sources { files: RefCell::new(files), bases: bases.into_iter().collect(), disk }
    }

    /// The lines that a trace file mentions, and some around them, for the file to carry.
    pub fn excerpt(&self, file: &TraceFile) -> BTreeMap<String, BTreeMap<u32, String>> {
        let mut excerpt: BTreeMap<String, BTreeMap<u32, String>> = BTreeMap::new();
        for frame in frames(file).filter(|frame| !frame.is_library()) {
            let (Some(name), Some(line)) = (&frame.file, frame.line) else { continue };
            let around = line.saturating_sub(AROUND).max(1)..=line.saturating_add(AROUND);
            if excerpt.get(name).is_some_and(|lines| around.clone().all(|line| lines.contains_key(&line))) {
                continue;
            }
            let lines = around.filter_map(|line| Some((line, self.raw(name, line)?)));
            excerpt.entry(name.clone()).or_default().extend(lines);
        }
        excerpt
    }

    /// The text of a line as it is.
    fn raw(&self, file: &str, line: u32) -> Option<String> {
        let mut files = self.files.borrow_mut();
        let find = || {
            // A name may have been made short already.
            let below = || self.bases.iter().find_map(|base| read(base.join(file).to_str()?));
            self.disk.then(|| read(file).or_else(below)).flatten()
        };
        let lines = files.entry(file.to_string()).or_insert_with(find);
        lines.as_ref()?.get(usize::try_from(line).ok()?.checked_sub(1)?).cloned()
    }

    /// The text of a line, trimmed.
    pub(crate) fn line(&self, file: &str, line: u32) -> Option<String> {
        let text = visible(self.raw(file, line)?.trim());
        (!text.is_empty()).then_some(text)
    }

    /// A file's name as short as it is clear: without the directory we are in.
    pub fn name<'a>(&self, file: &'a str) -> &'a str {
        let below = self.bases.iter().find_map(|base| Path::new(file).strip_prefix(base).ok());
        below.and_then(Path::to_str).unwrap_or(file)
    }

    /// A sentence with the names in it shortened.
    pub fn shorten(&self, text: &str) -> String {
        let prefixes = self.bases.iter().filter_map(|base| base.to_str()).filter(|base| base.len() > 1);
        prefixes.fold(text.to_string(), |text, base| without(&text, &format!("{base}/")))
    }
}

/// A text without a prefix of names in it: where no other name goes on.
fn without(text: &str, prefix: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(prefix) {
        out.push_str(before);
        if out.ends_with(|c: char| c.is_alphanumeric() || "/._-".contains(c)) {
            out.push_str(prefix);
        }
        rest = after;
    }
    out + rest
}

/// Every place in a trace file.
fn frames(file: &TraceFile) -> impl Iterator<Item = &Frame> {
    let minimisation = file.minimisation.iter();
    let others = minimisation.flat_map(|m| m.original.iter().chain(m.passing.iter().map(|passing| &passing.run)));
    let steps = file.steps.iter().chain(others.flat_map(|run| &run.steps));
    let of_steps = steps.flat_map(|s| s.stack.iter().chain(s.accesses.iter().flat_map(|access| &access.stack)));
    let of_races = file.races.iter().flat_map(|race| race.stacks.iter().flatten());
    let of_witnesses = file.witnesses.iter().flat_map(|witness| &witness.stack);
    let of_waits = file.blocked.iter().flat_map(|wait| &wait.stack);
    file.location.iter().chain(&file.stack).chain(of_waits).chain(of_steps).chain(of_races).chain(of_witnesses)
}

fn read(file: &str) -> Option<Vec<String>> {
    let size = std::fs::metadata(file).ok().filter(std::fs::Metadata::is_file)?.len();
    if size > MAX_FILE {
        return None;
    }
    let bytes = std::fs::read(file).ok()?;
    Some(String::from_utf8_lossy(&bytes).lines().map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use super::without;

    #[test]
    fn names_in_a_text_lose_the_directory_we_are_in() {
        let check = |text: &str, expected: &str| assert_eq!(without(text, "/a/b/"), expected);
        check("/a/b/p.c:3: failed", "p.c:3: failed");
        check("at /a/b/p.c:3, (/a/b/q.c)", "at p.c:3, (q.c)");
        check("/x/a/b/p.c and ../a/b/p.c", "/x/a/b/p.c and ../a/b/p.c");
    }
}
