//! `cargo gabion`: tests, programs and examples of a crate as they are.
//!
//! Cargo builds everything, into a target directory of ours below its own, with us as the wrapper of rustc: what is for
//! the target is instrumented, build scripts and procedural macros stay plain (`artifacts`). Each test is then a campaign
//! of its own (`listing`, `suite`).

mod artifacts;
mod doc_tests;
mod environment;
mod filter;
mod listing;
mod suite;
mod target;

use crate::check::{One, write_json};
use crate::console::complain;
use crate::exit::Exit;
use crate::options::CheckOptions;
use anyhow::{Result, bail};
use artifacts::{Kind, Wanted};
use gabion_report::Report;
use std::path::PathBuf;

pub(crate) use artifacts::wrapped;

/// Check the tests, programs and examples of a crate.
#[derive(Debug, clap::Args)]
pub(crate) struct Cargo {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// Check every test of the crate, each by itself
    Test(Box<Test>),
    /// Check a program, an example or a test program of the crate
    Check(Box<Program>),
}

/// What cargo is told.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Cargo")]
pub(crate) struct Selection {
    /// Package; may be repeated
    #[arg(short, long, value_name = "SPEC")]
    package: Vec<String>,
    /// All packages of the workspace
    #[arg(long)]
    workspace: bool,
    /// Without this package, of all of the workspace; may be repeated
    #[arg(long, value_name = "SPEC", requires = "workspace")]
    exclude: Vec<String>,
    /// Features, separated by commas
    #[arg(short = 'F', long, value_name = "LIST")]
    features: Vec<String>,
    /// All features
    #[arg(long)]
    all_features: bool,
    /// Without the default features
    #[arg(long)]
    no_default_features: bool,
    /// Optimised, with the profile of that name
    #[arg(long)]
    release: bool,
    /// What it is built for: x86_64-unknown-linux-gnu, whatever cargo's configuration says; others cannot be checked
    #[arg(long, value_name = "TRIPLE")]
    target: Vec<String>,
    /// Path of Cargo.toml
    #[arg(long, value_name = "PATH")]
    manifest_path: Option<PathBuf>,
    /// Directory for what is built (default: gabion, in cargo's own)
    #[arg(long, value_name = "DIR")]
    target_dir: Option<PathBuf>,
    /// Cargo.lock stays as it is
    #[arg(long)]
    locked: bool,
    /// Without the network
    #[arg(long)]
    offline: bool,
}

/// Check every test of the crate, each by itself.
///
/// The crate and its dependencies are compiled by the installed rustc, ready to be checked, into a directory of their own.
/// Then each test is run under one interleaving of its threads after another. Documentation tests are left out, and that is said.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Test {
    /// Only tests whose name, with the program in front or without, contains this
    filter: Option<String>,
    /// Arguments for the test programs: --exact, --skip, --ignored, --include-ignored, --list
    #[arg(last = true)]
    args: Vec<String>,
    /// Only the tests in the library
    #[arg(long, help_heading = "Cargo")]
    lib: bool,
    /// Only the tests in this file of tests/; may be repeated
    #[arg(long, value_name = "NAME", help_heading = "Cargo")]
    test: Vec<String>,
    /// Only the tests in this program; may be repeated
    #[arg(long, value_name = "NAME", help_heading = "Cargo")]
    bin: Vec<String>,
    #[command(flatten)]
    selection: Selection,
    /// Wall-clock time for each test, instead of --budget for all of them
    #[arg(long, value_name = "TIME", value_parser = crate::values::duration, help_heading = "Limits", conflicts_with = "budget")]
    budget_per_test: Option<std::time::Duration>,
    /// Write a page for a browser for each test, into this directory: the failing interleaving, or what was verified
    #[arg(long, value_name = "DIR", value_parser = crate::values::file, help_heading = "Output")]
    html: Option<PathBuf>,
    /// Write the results as JUnit does
    #[arg(long, value_name = "FILE", value_parser = crate::values::file, help_heading = "Output")]
    junit: Option<PathBuf>,
    #[command(flatten)]
    options: CheckOptions,
}

/// Check a program, an example or a test program of the crate.
#[derive(Debug, clap::Args)]
pub(crate) struct Program {
    /// The program
    #[arg(long, value_name = "NAME", required_unless_present_any = ["example", "test"], help_heading = "Cargo")]
    bin: Option<String>,
    /// The example
    #[arg(long, value_name = "NAME", conflicts_with = "bin", help_heading = "Cargo")]
    example: Option<String>,
    /// The file of tests/, as one program: for those with a harness of their own
    #[arg(long, value_name = "NAME", conflicts_with_all = ["bin", "example"], help_heading = "Cargo")]
    test: Option<String>,
    /// Arguments of the program
    #[arg(last = true)]
    args: Vec<String>,
    #[command(flatten)]
    selection: Selection,
    /// Write a page for a browser: the failing interleaving, or what was verified
    #[arg(long, value_name = "FILE", value_parser = crate::values::file, help_heading = "Output")]
    html: Option<PathBuf>,
    #[command(flatten)]
    options: CheckOptions,
}

impl Test {
    /// Are some targets of the crate asked for, and not all?
    fn has_targets(&self) -> bool {
        self.lib || !self.test.is_empty() || !self.bin.is_empty()
    }
}

const EXAMPLES: &str = "\
Examples:
  cargo gabion test                        every test of the crate
  cargo gabion test queue --budget 5m      those whose name contains queue
  cargo gabion test -p core -- --list      names only
  cargo gabion check --example server -- --threads 2

Exit status: 0 nothing fails, 1 a bug in a test, 2 an error, 3 stopped before the end.";

impl Cargo {
    pub(crate) fn run(self) -> Exit {
        let options = match &self.what {
            What::Test(test) => test.options.clone(),
            What::Check(program) => program.options.clone(),
        };
        let done = match self.what {
            What::Test(test) => suite::run(&test),
            What::Check(program) => program.run(),
        };
        match done {
            Ok(mut report) => {
                report.unwritten |= !write_json(&options, &report);
                Exit::of(&report)
            }
            Err(error) => {
                let message = format!("{error:#}");
                complain(&message);
                write_json(&options, &Report::of_error(message));
                Exit::Error
            }
        }
    }
}

impl Program {
    fn run(self) -> Result<Report> {
        let (kind, option, name) = match (&self.bin, &self.example, &self.test) {
            (Some(name), ..) => (Kind::Programs, "--bin", name.clone()),
            (_, Some(name), _) => (Kind::Programs, "--example", name.clone()),
            (.., Some(name)) => (Kind::Tests, "--test", name.clone()),
            (None, None, None) => bail!("name a program with --bin, an example with --example, or a test with --test"),
        };
        let targets = vec![option.to_string(), name.clone()];
        let wanted = Wanted { kind, targets, prebuilt: self.options.prebuilt_std };
        let built = artifacts::build(&self.selection, &wanted)?;
        let Some(program) = built.programs.iter().find(|program| program.name == name) else {
            bail!("cargo built no program named {name}");
        };
        let trace = self.options.trace.clone().unwrap_or_else(|| PathBuf::from(format!("{name}.trace")));
        let mut options = self.options.clone();
        options.env.splice(0..0, program.environment.clone());
        let (args, html) = (&self.args, self.html.clone());
        let one = One { program: &program.path, name, args, options: &options, trace, html };
        let (report, text) = one.check()?;
        self.options.stream().write(&text);
        Ok(report)
    }
}
