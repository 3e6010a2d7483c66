//! What cargo tells the programs that it runs: of their package, and what its configuration has in `[env]`.
//!
//! `cargo config get` is not stable, so the files are read as cargo does: those of the current directory and of every one above it, then
//! the one in cargo's home; what is nearer counts. Missed: files that others name with `include`.

use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Names and values.
pub(super) type Environment = Vec<(String, String)>;

/// Of a package in `directory`, as far as a program is likely to ask. `id` is what cargo calls the package.
pub(super) fn of_package(id: &str, directory: &Path) -> Environment {
    let (name, version) = named(id);
    let (core, pre) = version.split_once('-').unwrap_or((version, ""));
    let mut parts = core.split('+').next().unwrap_or_default().split('.');
    let mut part = || parts.next().unwrap_or_default().to_string();
    let all = [
        ("MANIFEST_DIR", directory.display().to_string()),
        ("PKG_NAME", name.to_string()),
        ("PKG_VERSION", version.to_string()),
        ("PKG_VERSION_MAJOR", part()),
        ("PKG_VERSION_MINOR", part()),
        ("PKG_VERSION_PATCH", part()),
        ("PKG_VERSION_PRE", pre.split('+').next().unwrap_or_default().to_string()),
    ];
    all.map(|(name, value)| (format!("CARGO_{name}"), value)).into()
}

/// A package's name and version, out of what cargo calls it: `path+file:///somewhere/name#0.1.0`, or `…#name@0.1.0`.
fn named(id: &str) -> (&str, &str) {
    let (place, rest) = id.rsplit_once('#').unwrap_or((id, ""));
    let own = || (place.rsplit('/').next().unwrap_or_default(), rest);
    rest.split_once('@').unwrap_or_else(own)
}

/// The variables of `[env]` that a program started from here gets.
pub(super) fn configured() -> Environment {
    let here = std::env::current_dir().unwrap_or_default();
    let mut variables = BTreeMap::<String, Variable>::new();
    for directory in directories(&here, home()) {
        let Some(root) = directory.parent() else { continue };
        for (name, entry) in read(&directory) {
            variables.entry(name).or_default().add(entry, root);
        }
    }
    variables.into_iter().filter_map(|(name, variable)| Some((name.clone(), variable.resolve(&name)?))).collect()
}

/// Directories with configuration, the nearest first.
fn directories(here: &Path, home: Option<PathBuf>) -> Vec<PathBuf> {
    let mut all: Vec<PathBuf> = here.ancestors().map(|above| above.join(".cargo")).collect();
    let home = home.filter(|home| !all.contains(home));
    all.extend(home);
    all
}

fn home() -> Option<PathBuf> {
    let own = std::env::var_os("CARGO_HOME").filter(|home| !home.is_empty());
    let home = own.map(PathBuf::from).or_else(|| Some(std::env::home_dir()?.join(".cargo")))?;
    std::path::absolute(home).ok()
}

#[derive(Deserialize)]
struct Configuration {
    #[serde(default)]
    env: BTreeMap<String, Entry>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Entry {
    Value(String),
    Detailed { value: Option<String>, force: Option<bool>, relative: Option<bool> },
}

/// A directory's `[env]`. What cannot be read has none: cargo has refused it before.
fn read(directory: &Path) -> BTreeMap<String, Entry> {
    // The name of old counts if there are both, as cargo has it.
    let text = ["config", "config.toml"].iter().find_map(|name| std::fs::read_to_string(directory.join(name)).ok());
    let parsed = text.and_then(|text| toml::from_str::<Configuration>(&text).ok());
    parsed.map_or_else(BTreeMap::new, |configuration| configuration.env)
}

/// A variable, gathered from the nearest file to the farthest.
#[derive(Default)]
struct Variable {
    /// With the directory that it is relative to, if it is.
    value: Option<(String, PathBuf)>,
    force: Option<bool>,
    relative: Option<bool>,
}

impl Variable {
    fn add(&mut self, entry: Entry, root: &Path) {
        let (value, force, relative) = match entry {
            Entry::Value(value) => (Some(value), None, None),
            Entry::Detailed { value, force, relative } => (value, force, relative),
        };
        self.value = self.value.take().or_else(|| Some((value?, root.to_path_buf())));
        self.force = self.force.or(force);
        self.relative = self.relative.or(relative);
    }

    /// Its value. None, if that of the environment stays.
    fn resolve(self, name: &str) -> Option<String> {
        let (value, root) = self.value?;
        if self.force != Some(true) && std::env::var_os(name).is_some() {
            return None;
        }
        Some(if self.relative == Some(true) { root.join(value).display().to_string() } else { value })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn home_is_read_once_and_last() {
        let check = |home: &str, expected: &[&str]| {
            let found = directories(Path::new("/a/b"), Some(PathBuf::from(home)));
            assert_eq!(found, expected.iter().map(PathBuf::from).collect::<Vec<_>>());
        };
        check("/home/.cargo", &["/a/b/.cargo", "/a/.cargo", "/.cargo", "/home/.cargo"]);
        check("/a/.cargo", &["/a/b/.cargo", "/a/.cargo", "/.cargo"]);
    }

    #[test]
    fn packages_have_two_sorts_of_names() {
        assert_eq!(named("path+file:///somewhere/name#0.1.0"), ("name", "0.1.0"));
        assert_eq!(named("path+file:///somewhere/else#name@0.1.0-pre+5"), ("name", "0.1.0-pre+5"));
    }
}
