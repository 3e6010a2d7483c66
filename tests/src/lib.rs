//! What the integration tests share: the expectations in the headers of `programs/`, running the built `gabion` with a
//! wall-clock limit, looking for processes it left behind, an enumerator of interleavings that shares no code with
//! the checker, and every interleaving of a program.

#![forbid(unsafe_code)]

pub mod build;
pub mod claims;
pub mod header;
pub mod model;
pub mod run;
pub mod schemas;
pub mod slow;
pub mod smallest;

use std::path::{Path, PathBuf};

/// The root of the workspace.
pub fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the tests live in the workspace").to_path_buf()
}

/// All programs, in order.
pub fn programs() -> Vec<PathBuf> {
    let mut found = Vec::new();
    collect(&workspace().join("programs"), &mut found);
    found.sort();
    found
}

fn collect(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(directory).expect("programs/ can be read") {
        let path = entry.expect("programs/ can be read").path();
        if path.is_dir() {
            collect(&path, found);
        } else if path.extension().is_some_and(|e| e == "c" || e == "cpp" || e == "rs") {
            found.push(path);
        }
    }
}

/// How many programs are checked at a time. A search and its target wait for each other now and then, so there is one more
/// than there are cores.
pub fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from) + 1
}
