//! Unseen code that is accepted: it lies in a function or a library that is trusted by option.
//!
//! Code that nobody saw makes a verdict *partial*. Whoever trusts it has asked for no more than *complete*. Which code a caveat is about is
//! known by its place: a library by its file, a line by the instructions of trusted functions. Objects and calls have no such place.

use crate::campaign::Campaign;
use crate::naming::location;
use gabion_trace::{Caveat, CaveatKind};
use std::collections::BTreeSet;
use std::path::Path;

/// Bytes of a trusted function that are looked up at most.
const LONGEST: u64 = 1 << 14;

impl Campaign<'_> {
    /// Those caveats that are about trusted code.
    pub(crate) fn accepted(&mut self, caveats: &[Caveat]) -> BTreeSet<Caveat> {
        let unseen: Vec<&Caveat> = caveats.iter().filter(|caveat| caveat.kind.is_unseen_code()).collect();
        if unseen.is_empty() || self.settings.narrowing.trust.is_empty() {
            return BTreeSet::new();
        }
        let lines = self.trusted_lines();
        let trust = &self.settings.narrowing.trust;
        let is_trusted = |caveat: &&Caveat| match caveat.kind {
            CaveatKind::UninstrumentedLibrary => trust.iter().any(|pattern| is_library(pattern, &caveat.place)),
            CaveatKind::InlineAssembly | CaveatKind::UninstrumentedFunction => lines.contains(&caveat.place),
            _ => false,
        };
        unseen.into_iter().filter(is_trusted).cloned().collect()
    }

    /// The source lines of trusted functions.
    fn trusted_lines(&mut self) -> BTreeSet<String> {
        let mut lines = BTreeSet::new();
        for region in self.settings.template.trusted.clone() {
            for pc in region.from..region.to.min(region.from + LONGEST) {
                lines.extend(self.subject.frames(pc).iter().filter_map(location));
            }
        }
        lines
    }
}

/// Does `lib:NAME` name the library in this file? As for `--trust`: by its whole name, or without the ending, or without `lib` too.
fn is_library(pattern: &str, file: &str) -> bool {
    let Some(name) = pattern.strip_prefix("lib:") else { return false };
    let file = Path::new(file).file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let stem = file.split(".so").next().unwrap_or_default();
    name == file || name == stem || stem.strip_prefix("lib") == Some(name)
}

#[cfg(test)]
mod tests {
    use super::is_library;

    #[test]
    fn libraries_go_by_several_names() {
        let check = |pattern: &str, is: bool| assert_eq!(is_library(pattern, "/opt/libfoo.so.1"), is, "{pattern}");
        ["lib:libfoo.so.1", "lib:libfoo", "lib:foo"].into_iter().for_each(|pattern| check(pattern, true));
        ["foo", "lib:fo", "lib:libfoo.so.2", "lib:"].into_iter().for_each(|pattern| check(pattern, false));
    }
}
