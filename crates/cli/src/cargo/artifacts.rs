//! What cargo builds for us.

use super::Selection;
use anyhow::{Context, Result, anyhow, bail};
use gabion_native::build;
use serde::Deserialize;
use std::ffi::OsString;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

/// Set for the compilers that cargo starts: they are started through us.
const WRAPS: &str = "GABION_WRAPS_RUSTC";
/// What is built for it is instrumented; naming it keeps build scripts and procedural macros apart.
const TARGET: &str = "x86_64-unknown-linux-gnu";

/// What to build.
pub(super) struct Wanted {
    /// `test` or `build`.
    pub(super) command: &'static str,
    /// Which targets of the crate.
    pub(super) targets: Vec<String>,
}

/// A program that cargo built.
#[derive(Debug)]
pub(super) struct Built {
    /// Its name, and where its source is.
    pub(super) name: String,
    pub(super) source: PathBuf,
    pub(super) path: PathBuf,
    /// The package's directory, in which cargo runs tests.
    pub(super) directory: PathBuf,
}

/// All that cargo built.
#[derive(Debug)]
pub(super) struct Artifacts {
    pub(super) programs: Vec<Built>,
    /// The directory for what we make of it.
    pub(super) directory: PathBuf,
}

#[derive(Deserialize)]
struct Message {
    reason: String,
    executable: Option<PathBuf>,
    manifest_path: Option<PathBuf>,
    target: Option<MessageTarget>,
    profile: Option<MessageProfile>,
}

#[derive(Deserialize)]
struct MessageTarget {
    name: String,
    src_path: PathBuf,
}

#[derive(Deserialize)]
struct MessageProfile {
    test: bool,
}

#[derive(Deserialize)]
struct Metadata {
    target_directory: PathBuf,
}

/// Has cargo build it. Its messages go to standard error, as always.
pub(super) fn build(selection: &Selection, wanted: &Wanted) -> Result<Artifacts> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
    let directory = match &selection.target_dir {
        Some(directory) => std::path::absolute(directory)?,
        None => metadata(&cargo, selection)?.target_directory.join("gabion"),
    };
    let mut command = Command::new(&cargo);
    command.arg(wanted.command).args(&wanted.targets).args(selection.words());
    if wanted.command == "test" {
        command.arg("--no-run");
    }
    command.args(["--target", TARGET, "--message-format", "json-render-diagnostics", "--target-dir"]).arg(&directory);
    command.env("RUSTC_WRAPPER", executable()?).env(WRAPS, "1").env_remove("RUSTC_WORKSPACE_WRAPPER");
    command.stdin(Stdio::null()).stdout(Stdio::piped());
    let mut child = command.spawn().map_err(|error| anyhow!("cannot start cargo: {error}; is it installed?"))?;
    let mut programs = Vec::new();
    for line in BufReader::new(child.stdout.take().expect("piped above")).lines() {
        let line = line.context("cannot read what cargo says")?;
        let Ok(message) = serde_json::from_str::<Message>(&line) else { continue };
        // Programs that integration tests start are built too, and have no tests.
        let is_wanted = message.profile.is_some_and(|profile| profile.test == (wanted.command == "test"));
        if let ("compiler-artifact", true, Some(path), Some(target), Some(manifest)) =
            (message.reason.as_str(), is_wanted, message.executable, message.target, message.manifest_path)
        {
            let directory = manifest.parent().unwrap_or(Path::new(".")).to_path_buf();
            programs.push(Built { name: target.name, source: target.src_path, path, directory });
        }
    }
    if !child.wait().context("cannot wait for cargo")?.success() {
        bail!("cargo could not build it; its messages are above");
    }
    // Cargo tells of them as they are done.
    programs.sort_by(|a, b| (&a.name, &a.source).cmp(&(&b.name, &b.source)));
    Ok(Artifacts { programs, directory })
}

fn metadata(cargo: &OsString, selection: &Selection) -> Result<Metadata> {
    let mut command = Command::new(cargo);
    command.args(["metadata", "--format-version", "1", "--no-deps"]);
    if let Some(path) = &selection.manifest_path {
        command.arg("--manifest-path").arg(path);
    }
    command.args(selection.offline.then_some("--offline")).args(selection.locked.then_some("--locked"));
    let answer = command.stderr(Stdio::inherit()).output();
    let answer = answer.map_err(|error| anyhow!("cannot start cargo: {error}; is it installed?"))?;
    if !answer.status.success() {
        bail!("cargo finds no crate here; its message is above (--manifest-path names one)");
    }
    serde_json::from_slice(&answer.stdout).context("cannot read what cargo says of the crate")
}

/// The executable that cargo is to start instead of rustc: this one.
fn executable() -> Result<PathBuf> {
    std::env::current_exe().context("cannot find gabion's own executable")
}

impl Selection {
    /// As cargo's own options.
    fn words(&self) -> Vec<OsString> {
        let mut words: Vec<OsString> = Vec::new();
        for package in &self.package {
            words.extend(["--package".into(), package.into()]);
        }
        for features in &self.features {
            words.extend(["--features".into(), features.into()]);
        }
        if let Some(path) = &self.manifest_path {
            words.extend(["--manifest-path".into(), path.into()]);
        }
        let flags = [
            (self.workspace, "--workspace"),
            (self.all_features, "--all-features"),
            (self.no_default_features, "--no-default-features"),
            (self.release, "--release"),
            (self.locked, "--locked"),
            (self.offline, "--offline"),
        ];
        words.extend(flags.iter().filter(|(given, _)| *given).map(|(_, flag)| OsString::from(flag)));
        words
    }
}

/// Started by cargo in place of rustc? `args`: ourselves, rustc, its arguments.
pub(crate) fn wrapped(args: &[OsString]) -> Option<ExitCode> {
    std::env::var_os(WRAPS)?;
    let rustc = Path::new(args.get(1)?);
    if !rustc.file_name()?.to_str()?.starts_with("rustc") {
        return None;
    }
    let rest = &args[2..];
    let for_target =
        rest.iter().any(|arg| arg == "--target" || arg.to_str().is_some_and(|a| a.starts_with("--target=")));
    if for_target && rest.iter().any(|arg| arg == "--crate-name") {
        return Some(crate::exit::of_tool(build::run_rustc(Some(rustc), rest)));
    }
    let status = Command::new(rustc).args(rest).status();
    Some(match status {
        Ok(status) => ExitCode::from(u8::try_from(status.code().unwrap_or(1)).unwrap_or(1)),
        Err(error) => {
            crate::console::complain(&format!("cannot start {}: {error}", rustc.display()));
            ExitCode::FAILURE
        }
    })
}
