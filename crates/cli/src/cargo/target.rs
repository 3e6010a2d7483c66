//! For which target a crate is built: only programs for this machine can be checked.

use super::Selection;
use crate::console::note;
use anyhow::{Result, bail};
use serde::Deserialize;
use std::ffi::OsStr;
use std::process::{Command, Stdio};

/// What is built for it is instrumented; naming it keeps build scripts and procedural macros apart.
pub(super) const TARGET: &str = "x86_64-unknown-linux-gnu";
/// Cargo's word for the machine that it runs on.
const HOST: &str = "host-tuple";

#[derive(Deserialize)]
struct Configuration {
    build: Build,
}

#[derive(Deserialize)]
struct Build {
    target: Targets,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Targets {
    One(String),
    Several(Vec<String>),
}

/// Refuses a crate that is built for other targets alone. Of several the others are left out, and that is said.
pub(super) fn check(cargo: &OsStr, selection: &Selection) -> Result<()> {
    let (wanted, by) = match selection.target.as_slice() {
        [] => (configured(cargo), "build.target in cargo's configuration"),
        asked => (asked.to_vec(), "--target"),
    };
    let (own, others): (Vec<&str>, Vec<&str>) =
        wanted.iter().map(String::as_str).partition(|target| [TARGET, HOST].contains(target));
    let others = others.join(", ");
    if own.is_empty() && !wanted.is_empty() {
        let instead =
            if selection.target.is_empty() { format!("; --target {TARGET} builds it so") } else { String::new() };
        bail!("the crate is built for {others} ({by}), and gabion checks what is built for {TARGET}{instead}");
    }
    if !others.is_empty() {
        note(&format!("gabion: left out: what is built for {others} ({by})\n"));
    }
    Ok(())
}

/// The targets of cargo's configuration here, of its files and of the environment. None, if there are none or cargo does not say.
fn configured(cargo: &OsStr) -> Vec<String> {
    let mut command = Command::new(cargo);
    command.args(["-Zunstable-options", "config", "get", "build.target", "--format", "json"]);
    // Unstable in name: stable releases answer as well, if they are told so.
    command.env("RUSTC_BOOTSTRAP", "1").stdin(Stdio::null()).stderr(Stdio::null());
    let answer = command.output().ok().filter(|answer| answer.status.success());
    match answer.and_then(|answer| serde_json::from_slice::<Configuration>(&answer.stdout).ok()) {
        Some(Configuration { build: Build { target: Targets::One(target) } }) => vec![target],
        Some(Configuration { build: Build { target: Targets::Several(targets) } }) => targets,
        None => Vec::new(),
    }
}
