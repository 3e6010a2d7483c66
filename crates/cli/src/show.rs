//! `gabion show`, and reading trace files.

use crate::console::{Stream, complain, sources_of};
use crate::exit::Exit;
use anyhow::{Result, anyhow};
use gabion_report::{Terminal, bug_page};
use gabion_trace::TraceFile;
use std::path::{Path, PathBuf};

/// Print a recorded interleaving, or make a page of it. Nothing is run.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  gabion show counter.trace\n  gabion show counter.trace --html counter.html")]
pub(crate) struct Show {
    /// A file that `gabion check` wrote
    file: PathBuf,
    /// Every step with its place: nothing is folded
    #[arg(long)]
    full: bool,
    /// Write it as a page for a browser instead
    #[arg(long, value_name = "FILE", value_parser = crate::values::file)]
    html: Option<PathBuf>,
}

impl Show {
    pub(crate) fn run(self) -> Exit {
        self.show().map_or_else(
            |error| {
                complain(&format!("{error:#}"));
                Exit::Error
            },
            |()| Exit::Passed,
        )
    }

    fn show(&self) -> Result<()> {
        let file = read(&self.file)?;
        let path = self.file.display().to_string();
        let Some(to) = &self.html else {
            let terminal = Terminal { sources: sources_of(&file), full: self.full, ..Stream::Out.terminal() };
            Stream::Out.write(&terminal.bug(&file, Some(&path)));
            return Ok(());
        };
        write_page(to, &bug_page(&file, &sources_of(&file), Some(&path)))
    }
}

/// Writes a page to a file.
pub(crate) fn write_page(to: &Path, page: &str) -> Result<()> {
    std::fs::write(to, page).map_err(|error| anyhow!("cannot write {}: {error}", to.display()))
}

/// Reads a trace file, and says so if it cannot be known to be whole.
pub(crate) fn read(path: &Path) -> Result<TraceFile> {
    let shown = path.display();
    if path.is_dir() {
        return Err(anyhow!("{shown} is a directory; name a .trace file that `gabion check` wrote"));
    }
    let bytes = std::fs::read(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => anyhow!("no such file: {shown}"),
        _ => anyhow!("cannot read {shown}: {error}"),
    })?;
    let file = TraceFile::from_bytes(&bytes)
        .map_err(|error| anyhow!("{shown}: {error}; make a new one with `gabion check`"))?;
    if !TraceFile::has_checksum(&bytes) {
        complain(&format!("{shown} is of version 1, which has no checksum: if it was damaged, that is not noticed"));
    }
    Ok(file)
}
