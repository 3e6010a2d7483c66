//! Standard output and standard error, and what they can show. Whatever is written there goes through [`printable`], so that nothing of
//! a program, a path or a file can steer a terminal.

use gabion_native::standard_output;
use gabion_report::{Colour, Sources, Terminal, printable, visible};
use gabion_trace::TraceFile;
use std::io::{self, IsTerminal, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

/// Something that was to go to standard output did not get there.
static LOST: AtomicBool = AtomicBool::new(false);

/// Writes to standard output. What cannot be written is told once, and [`is_lost`] knows.
pub(crate) fn say(text: &str) {
    let mut out = io::stdout().lock();
    printed(out.write_all(printable(text).as_bytes()).and_then(|()| out.flush()));
}

/// Takes in how writing to standard output went.
pub(crate) fn printed(written: io::Result<()>) {
    let why = match written {
        _ if standard_output::was_closed() => "it is closed".to_string(),
        Err(error) => error.to_string(),
        Ok(()) => return,
    };
    if !LOST.swap(true, Ordering::Relaxed) {
        complain(&format!("cannot write to standard output: {why}; what was to be read there is lost"));
    }
}

/// Was something lost that was to go to standard output?
pub(crate) fn is_lost() -> bool {
    LOST.load(Ordering::Relaxed)
}

/// Writes to standard error.
pub(crate) fn note(text: &str) {
    let _ = io::stderr().lock().write_all(printable(text).as_bytes());
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
            Stream::Out => io::stdout().is_terminal(),
            Stream::Err => io::stderr().is_terminal(),
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
    let known_as = std::env::var_os("PWD").map(PathBuf::from).filter(|p| p.is_absolute() && is_here(p));
    std::env::current_dir().ok().into_iter().chain(known_as)
}

/// Is this another name of the current directory? A caller that changed it may have left `PWD` as it was.
fn is_here(path: &Path) -> bool {
    let place = |path: &Path| std::fs::metadata(path).ok().map(|found| (found.dev(), found.ino()));
    place(path).is_some_and(|found| Some(found) == place(Path::new(".")))
}
