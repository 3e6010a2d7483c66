//! Lines of source files, for showing.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// Larger files are not shown.
const MAX_FILE: u64 = 8 << 20;

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

    /// The text of a line, trimmed.
    pub(crate) fn line(&self, file: &str, line: u32) -> Option<String> {
        let mut files = self.files.borrow_mut();
        let lines = files.entry(file.to_string()).or_insert_with(|| if self.disk { read(file) } else { None });
        let text = lines.as_ref()?.get(usize::try_from(line).ok()?.checked_sub(1)?)?.trim();
        (!text.is_empty()).then(|| text.to_string())
    }

    /// A file's name as short as it is clear: without the directory we are in.
    pub fn name<'a>(&self, file: &'a str) -> &'a str {
        let below = self.bases.iter().find_map(|base| Path::new(file).strip_prefix(base).ok());
        below.and_then(Path::to_str).unwrap_or(file)
    }

    /// A sentence with the names in it shortened.
    pub fn shorten(&self, text: &str) -> String {
        let prefixes = self.bases.iter().filter_map(|base| base.to_str()).filter(|base| base.len() > 1);
        prefixes.fold(text.to_string(), |text, base| text.replace(&format!(" {base}/"), " "))
    }
}

fn read(file: &str) -> Option<Vec<String>> {
    let size = std::fs::metadata(file).ok().filter(std::fs::Metadata::is_file)?.len();
    if size > MAX_FILE {
        return None;
    }
    let bytes = std::fs::read(file).ok()?;
    Some(String::from_utf8_lossy(&bytes).lines().map(str::to_owned).collect())
}
