//! Standard output and standard error, and what they can show.

use gabion_report::{Colour, Sources, Terminal, visible};
use gabion_trace::TraceFile;
use std::io::{IsTerminal, Write};
use std::path::PathBuf;

/// Writes to standard output. A reader that has gone away is no error of ours.
pub(crate) fn say(text: &str) {
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// Writes to standard error.
pub(crate) fn note(text: &str) {
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}

/// The one message of something that went wrong.
pub(crate) fn complain(message: &str) {
    note(&format!("gabion: {}\n", visible(message)));
}

/// Where text for people goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stream {
    /// Standard output.
    Out,
    /// Standard error: standard output belongs to a script.
    Err,
}

impl Stream {
    pub(crate) fn is_terminal(self) -> bool {
        match self {
            Stream::Out => std::io::stdout().is_terminal(),
            Stream::Err => std::io::stderr().is_terminal(),
        }
    }
    pub(crate) fn write(self, text: &str) {
        match self {
            Stream::Out => say(text),
            Stream::Err => note(text),
        }
    }

    /// How to write there: colour only on a terminal that wants it, 80 columns unless the terminal says otherwise.
    pub(crate) fn terminal(self) -> Terminal {
        let is_terminal = self.is_terminal();
        let unwanted = std::env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty())
            || std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        let columns = std::env::var("COLUMNS").ok().and_then(|c| c.parse::<usize>().ok());
        Terminal {
            width: columns.filter(|_| is_terminal).map_or(80, |c| c.clamp(60, 200)),
            colour: if is_terminal && !unwanted { Colour::On } else { Colour::Off },
            sources: sources(),
            full: false,
        }
    }
}

/// Source files on disk, shown relative to the current directory under either of its names.
pub(crate) fn sources() -> Sources {
    Sources::from_disk(bases())
}

/// The lines that a trace file carries, shown likewise.
pub(crate) fn sources_of(file: &TraceFile) -> Sources {
    Sources::of_file(file, bases())
}

fn bases() -> impl Iterator<Item = PathBuf> {
    let known_as = std::env::var_os("PWD").map(PathBuf::from).filter(|p| p.is_absolute());
    std::env::current_dir().ok().into_iter().chain(known_as)
}
