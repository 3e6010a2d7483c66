//! `gabion show`, and reading trace files.

use crate::console::{Stream, complain, sources_of};
use crate::exit::Exit;
use anyhow::{Result, anyhow};
use gabion_report::Terminal;
use gabion_trace::TraceFile;
use std::path::{Path, PathBuf};

/// Print a recorded interleaving. Nothing is run.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  gabion show counter.trace")]
pub(crate) struct Show {
    /// A file that `gabion check` wrote
    file: PathBuf,
}

impl Show {
    pub(crate) fn run(self) -> Exit {
        match read(&self.file) {
            Ok(file) => {
                let terminal = Terminal { sources: sources_of(&file), ..Stream::Out.terminal() };
                let text = terminal.bug(&file, Some(&self.file.display().to_string()));
                Stream::Out.write(&text);
                Exit::Passed
            }
            Err(error) => {
                complain(&format!("{error:#}"));
                Exit::Error
            }
        }
    }
}

/// Reads a trace file.
pub(crate) fn read(path: &Path) -> Result<TraceFile> {
    let shown = path.display();
    if path.is_dir() {
        return Err(anyhow!("{shown} is a directory; name a .trace file that `gabion check` wrote"));
    }
    let bytes = std::fs::read(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => anyhow!("no such file: {shown}"),
        _ => anyhow!("cannot read {shown}: {error}"),
    })?;
    TraceFile::from_bytes(&bytes).map_err(|error| anyhow!("{shown}: {error}; make a new one with `gabion check`"))
}
