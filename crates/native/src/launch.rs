//! How a program is run.

use crate::ahead::Way;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// Google Test catches what a test throws, and tells neither its type nor where it was thrown. Not told to, it lets it end the
/// program, as an exception that nobody catches does (decision 0015). Who says otherwise is asked first.
const CATCHES: (&str, &str) = ("GTEST_CATCH_EXCEPTIONS", "0");

/// A program and its surroundings.
#[derive(Clone, Debug)]
pub struct Launch {
    /// The executable.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// Variables added to its environment.
    pub env: Vec<(OsString, OsString)>,
    /// What it reads; nothing if not given.
    pub stdin: Option<PathBuf>,
    /// Where it runs.
    pub cwd: Option<PathBuf>,
    /// Wall-clock time without progress after which a run counts as hung.
    pub watchdog: Duration,
    /// When the caller's time is over. A run that gets nowhere then is given up, long before the watchdog would judge it.
    pub deadline: Option<Instant>,
    /// Set from outside to stop soon.
    pub interrupt: Arc<AtomicBool>,
    /// How search and target begin to work; later, the faster way is taken. One core at first: a search of a few hundred runs is
    /// over before two have been compared, and another core that is slow to wake up makes each of them several times as
    /// long (docs/performance.md).
    pub begin: Way,
}

impl Launch {
    /// The program alone.
    pub fn new(program: impl Into<PathBuf>) -> Self {
        Launch {
            program: program.into(),
            args: Vec::new(),
            env: Vec::new(),
            stdin: None,
            cwd: None,
            watchdog: Duration::from_secs(10),
            deadline: None,
            interrupt: Arc::new(AtomicBool::new(false)),
            begin: Way::Together,
        }
    }

    /// What is added to the program's environment, the last of a name counting.
    pub(crate) fn environment(&self) -> Vec<(OsString, OsString)> {
        let (name, value) = CATCHES;
        let catches = std::env::var_os(name).is_none().then(|| (name.into(), value.into()));
        catches.into_iter().chain(self.env.iter().cloned()).collect()
    }
}
