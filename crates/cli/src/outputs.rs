//! Where results go besides the terminal: pages, and what other tools read.

use crate::console::complain;
use crate::options::CheckOptions;
use crate::values;
use gabion_report::{Report, Test, annotations, junit, sarif};
use std::path::{Path, PathBuf};

/// Options of `check` about that.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct Outputs {
    /// Write a page for a browser: the failing interleaving, or what was verified
    #[arg(long, value_name = "FILE", value_parser = values::file, help_heading = "Output")]
    pub(crate) html: Option<PathBuf>,
    /// Write the result as JUnit's XML
    #[arg(long, value_name = "FILE", value_parser = values::file, help_heading = "Output")]
    junit: Option<PathBuf>,
    /// Write bugs and data races as SARIF 2.1.0, for editors and code hosts
    #[arg(long, value_name = "FILE", value_parser = values::file, help_heading = "Output")]
    sarif: Option<PathBuf>,
    /// Print bugs and data races as annotations for GitHub's runners
    #[arg(long, help_heading = "Output")]
    github: bool,
}

impl Outputs {
    /// Writes what other tools read. False: not all of it could be written.
    pub(crate) fn write(&self, options: &CheckOptions, program: &Path, report: &Report) -> bool {
        let mut written = true;
        let name = program.display().to_string();
        if let Some(path) = &self.junit {
            let test = Test { name: name.clone(), report: report.clone() };
            written &= write(path, &junit("gabion check", &[test], &[]), "--junit");
        }
        if let Some(path) = &self.sarif {
            written &= write(path, &sarif(report), "--sarif");
        }
        if self.github {
            options.stream().write(&annotations(&name, report));
        }
        written
    }
}

/// Writes a file; what cannot be written is said, and false.
pub(crate) fn write(path: &Path, text: &str, option: &str) -> bool {
    let written = std::fs::write(path, text);
    if let Err(error) = &written {
        complain(&format!("cannot write {}: {error}; name a file that can be written with {option}", path.display()));
    }
    written.is_ok()
}
