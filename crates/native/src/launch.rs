//! How a program is run.

use crate::ahead::Way;
use gabion_trace::Surroundings;
use gabion_trace::shared::NAME_VARIABLE;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
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
    /// What it sees of where it is started; none: that of this process.
    pub surroundings: Option<Surroundings>,
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
            surroundings: None,
            stdin: None,
            cwd: None,
            watchdog: Duration::from_secs(10),
            deadline: None,
            interrupt: Arc::new(AtomicBool::new(false)),
            begin: Way::Together,
        }
    }

    /// What is added to the environment that the program is handed, the last of a name counting; and the name that it knows
    /// itself by, for the runtime.
    pub(crate) fn environment(&self) -> Vec<(OsString, OsString)> {
        let (name, value) = CATCHES;
        let handed = |s: &Surroundings| s.environment.iter().any(|(handed, _)| handed == name);
        let told = self.surroundings.as_ref().map_or_else(|| std::env::var_os(name).is_some(), handed);
        let catches = (!told).then(|| (name.into(), value.into()));
        let own = self.surroundings.as_ref().map(|s| (NAME_VARIABLE.into(), s.name.clone().into()));
        catches.into_iter().chain(self.env.iter().cloned()).chain(own).collect()
    }

    /// The environment that the program is handed, if it is not that of this process.
    pub(crate) fn handed(&self) -> Option<impl Iterator<Item = (&OsStr, &OsStr)>> {
        self.surroundings
            .as_ref()
            .map(|s| s.environment.iter().map(|(name, value)| (OsStr::new(name), OsStr::new(value))))
    }

    /// Where it runs.
    pub(crate) fn directory(&self) -> Option<&Path> {
        self.cwd.as_deref().or_else(|| Some(self.surroundings.as_ref()?.directory.as_path()))
    }
}
