//! What cargo builds for us.

use super::Selection;
use super::environment::{self, Environment};
use super::target::{self, TARGET};
use anyhow::{Context, Result, anyhow, bail};
use gabion_native::Scratch;
use gabion_native::build::{self, Network, Rustc, StandardLibrary};
use serde::Deserialize;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

/// Set for the compilers that cargo starts, which are started through us: the file that gets the sources they fail at.
const WRAPS: &str = "GABION_WRAPS_RUSTC";

/// What to build.
pub(super) struct Wanted {
    pub(super) kind: Kind,
    /// Which targets of the crate, as cargo's options; of tests, all if there are none.
    pub(super) targets: Vec<String>,
    /// Leave the standard library as it came.
    pub(super) prebuilt: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Tests,
    Programs,
}

/// A program that cargo built.
#[derive(Debug)]
pub(super) struct Built {
    /// Its name, and where its source is.
    pub(super) name: String,
    pub(super) source: PathBuf,
    pub(super) path: PathBuf,
    /// A file of `tests`.
    pub(super) is_test: bool,
    /// The unit tests of a library whose documentation may have tests too.
    pub(super) is_documented: bool,
    /// The package's directory, in which cargo runs tests.
    pub(super) directory: PathBuf,
    /// What cargo tells it.
    pub(super) environment: Environment,
}

/// All that cargo built.
#[derive(Debug)]
pub(super) struct Artifacts {
    pub(super) programs: Vec<Built>,
    /// Tests of procedural macros. They are built for the compiler, and stay plain.
    pub(super) macros: Vec<Built>,
    /// What cargo could not build, in words.
    pub(super) failed: Option<String>,
    /// The directory for what we make of it.
    pub(super) directory: PathBuf,
}

#[derive(Deserialize)]
struct Message {
    reason: String,
    #[serde(default)]
    package_id: String,
    executable: Option<PathBuf>,
    manifest_path: Option<PathBuf>,
    target: Option<MessageTarget>,
    profile: Option<MessageProfile>,
}

#[derive(Deserialize)]
struct MessageTarget {
    name: String,
    kind: Vec<String>,
    src_path: PathBuf,
    #[serde(default)]
    doctest: bool,
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
    target::check(&cargo, selection)?;
    let directory = match &selection.target_dir {
        Some(directory) => std::path::absolute(directory)?,
        None => metadata(&cargo, selection)?.target_directory.join("gabion"),
    };
    let library = library(selection, wanted)?;
    let below = directory.join(name(&library, build::RECORD_FORMAT));
    let scratch = Scratch::new().context("cannot make a temporary directory for what does not build")?;
    let notes = scratch.path().join("notes");
    std::fs::write(&notes, "").context("cannot make a file for what does not build")?;
    let mut command = Command::new(&cargo);
    command.args(wanted.words(selection)).args(selection.words());
    command.args(["--target", TARGET, "--message-format", "json-render-diagnostics", "--target-dir"]).arg(&below);
    command.env("RUSTC_WRAPPER", executable()?).env(WRAPS, &notes).env_remove("RUSTC_WORKSPACE_WRAPPER");
    if let StandardLibrary::Prebuilt(why) = &library {
        build::with_prebuilt_library(&mut command, why);
    }
    command.stdin(Stdio::null()).stdout(Stdio::piped());
    let mut child = command.spawn().map_err(|error| anyhow!("cannot start cargo: {error}; is it installed?"))?;
    let (mut programs, mut macros, configured) = (Vec::new(), Vec::new(), environment::configured());
    for line in BufReader::new(child.stdout.take().expect("piped above")).lines() {
        let line = line.context("cannot read what cargo says")?;
        let Ok(message) = serde_json::from_str::<Message>(&line) else { continue };
        // Programs that integration tests start are built too, and have no tests.
        let is_wanted = message.profile.is_some_and(|profile| profile.test == (wanted.kind == Kind::Tests));
        if let ("compiler-artifact", true, Some(path), Some(target), Some(manifest)) =
            (message.reason.as_str(), is_wanted, message.executable, message.target, message.manifest_path)
        {
            let directory = manifest.parent().unwrap_or(Path::new(".")).to_path_buf();
            let is = |kind: &str| target.kind.iter().any(|known| known == kind);
            let (is_test, list) = (is("test"), if is("proc-macro") { &mut macros } else { &mut programs });
            // What cargo says of the package comes last, and counts.
            let environment = [configured.clone(), environment::of_package(&message.package_id, &directory)].concat();
            let (is_documented, source) = (target.doctest, target.src_path);
            list.push(Built { name: target.name, source, path, is_test, is_documented, directory, environment });
        }
    }
    let is_whole = child.wait().context("cannot wait for cargo")?.success();
    if !is_whole && programs.is_empty() {
        bail!("cargo could not build it; its messages are above");
    }
    let failed = (!is_whole).then(|| failed(&notes));
    // Cargo tells of them as they are done.
    programs.sort_by(|a, b| (&a.name, &a.source).cmp(&(&b.name, &b.source)));
    macros.sort_by(|a, b| a.source.cmp(&b.source));
    Ok(Artifacts { programs, macros, failed, directory })
}

/// What was compiled against one library is of no use to the other, and what an older gabion left in objects none to this one.
/// Cargo knows neither apart. A rebuilt library has a name for each.
fn name(library: &StandardLibrary, records: &str) -> OsString {
    match library {
        StandardLibrary::Rebuilt(path) => path.file_name().unwrap_or_default().to_owned(),
        StandardLibrary::Prebuilt(_) => format!("prebuilt-{records}-own").into(), // with its generic code compiled anew
    }
}

/// The sources that did not compile, by the notes of the compilers. What else may fail has no notes: build scripts do.
fn failed(notes: &Path) -> String {
    let notes = std::fs::read_to_string(notes).unwrap_or_default();
    let sources: BTreeSet<&str> = notes.lines().collect();
    match sources.is_empty() {
        true => "a part".to_string(),
        false => sources.into_iter().collect::<Vec<_>>().join(", "),
    }
}

/// The standard library for what cargo builds; the compiler is the one that cargo would call here.
fn library(selection: &Selection, wanted: &Wanted) -> Result<StandardLibrary> {
    if wanted.prebuilt {
        return Ok(StandardLibrary::Prebuilt("--prebuilt-std".to_owned()));
    }
    let network = if selection.offline { Network::Forbidden } else { Network::Allowed };
    Ok(Rustc::find(None)?.standard_library(network))
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

impl Wanted {
    /// The command for cargo. Of all tests as many are built as can be.
    fn words(&self, selection: &Selection) -> Vec<&str> {
        let own = self.targets.iter().map(String::as_str);
        match self.kind {
            Kind::Programs => ["build"].into_iter().chain(own).collect(),
            Kind::Tests if !self.targets.is_empty() => ["test", "--no-run"].into_iter().chain(own).collect(),
            // The library's and the programs' own are among them. The profile is the one that `cargo test` takes.
            Kind::Tests => {
                let profile: &[&str] = if selection.release { &[] } else { &["--profile", "test"] };
                [&["build", "--tests", "--keep-going"], profile].concat()
            }
        }
    }
}

impl Selection {
    /// As cargo's own options.
    fn words(&self) -> Vec<OsString> {
        let mut words: Vec<OsString> = Vec::new();
        for package in &self.package {
            words.extend(["--package".into(), package.into()]);
        }
        for package in &self.exclude {
            words.extend(["--exclude".into(), package.into()]);
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
    let notes = std::env::var_os(WRAPS)?;
    let rustc = Path::new(args.get(1)?);
    if !rustc.file_name()?.to_str()?.starts_with("rustc") {
        return None;
    }
    let rest = &args[2..];
    let for_target =
        rest.iter().any(|arg| arg == "--target" || arg.to_str().is_some_and(|a| a.starts_with("--target=")));
    let is_crate = rest.iter().any(|arg| arg == "--crate-name");
    let done = if for_target && is_crate {
        crate::exit::of_tool(build::run_rustc(Some(rustc), rest))
    } else {
        match Command::new(rustc).args(rest).status() {
            Ok(status) => ExitCode::from(u8::try_from(status.code().unwrap_or(1)).unwrap_or(1)),
            Err(error) => {
                crate::console::complain(&format!("cannot start {}: {error}", rustc.display()));
                ExitCode::FAILURE
            }
        }
    };
    if is_crate && done != ExitCode::SUCCESS {
        note_failure(Path::new(&notes), rest);
    }
    Some(done)
}

/// Notes the source that a compiler failed at. Without a note it is only told less exactly.
fn note_failure(notes: &Path, args: &[OsString]) {
    let is_source = |arg: &&OsString| Path::new(arg).extension().is_some_and(|extension| extension == "rs");
    let source = args.iter().find(is_source).map(|source| source.to_string_lossy());
    let file = std::fs::OpenOptions::new().append(true).open(notes);
    if let (Some(source), Ok(mut file)) = (source, file) {
        let _ = file.write_all(format!("{source}\n").as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::name;
    use gabion_native::build::StandardLibrary;
    use std::path::PathBuf;

    #[test]
    fn nothing_is_built_where_another_gabion_has_built() {
        let prebuilt = StandardLibrary::Prebuilt(String::new());
        let rebuilt = StandardLibrary::Rebuilt(PathBuf::from("cache/std-0123"));
        assert_ne!(name(&prebuilt, "5"), name(&prebuilt, "6"));
        assert_ne!(name(&prebuilt, "5"), name(&rebuilt, "5"));
        assert_eq!(name(&rebuilt, "5"), "std-0123");
    }
}
