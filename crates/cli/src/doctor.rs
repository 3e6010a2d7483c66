//! `gabion doctor`: is everything here that `gabion check` needs?
//!
//! The only proof that hooks are live is a bug that was found, so a small program goes through everything with each
//! compiler there is. Kernel features are looked up as far as that needs no privilege; those missing cost speed or
//! precision, and the line says which.

use crate::console::say;
use crate::exit::Exit;
use crate::program;
use anyhow::{Result, anyhow, bail};
use gabion_deepen::{
    AfterBug, Campaign, HappensBefore, Kind, Mode, Narrowing, OnRace, RaceThreads, Settings, Verdict, Waits,
};
use gabion_native::build::Rustc;
use gabion_native::{Native, Scratch, library};
use gabion_trace::{Plan, Program};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Look whether everything that gabion needs is here. Exit status: 0 if `gabion check` can work, 2 if not.
#[derive(Debug, clap::Args)]
pub(crate) struct Doctor {}

/// A program with a bug that only some interleavings show.
const RACY: &str = r"#include <assert.h>
#include <pthread.h>
static int counter;
static void *worker(void *arg) {
    int seen = counter;
    counter = seen + 1;
    return arg;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(counter == 2);
    return 0;
}
";

/// One thing looked at.
struct Line {
    state: State,
    text: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Ok,
    /// Not here; the text says what that costs and what to do.
    Missing,
    /// Here, and does not work.
    Broken,
}

impl Line {
    fn new(state: State, text: impl Into<String>) -> Self {
        Line { state, text: text.into() }
    }
    fn print(&self) {
        let state = match self.state {
            State::Ok => "ok",
            State::Missing => "missing",
            State::Broken => "BROKEN",
        };
        say(&format!("{state:8} {}\n", self.text));
    }
}

impl Doctor {
    pub(crate) fn run(self) -> Exit {
        say(&format!("gabion {} on {}\n", env!("CARGO_PKG_VERSION"), release()));
        let compilers: Vec<Line> = [("gcc", "g++"), ("clang", "clang++")].map(|(c, cxx)| compiler(c, cxx)).into();
        compilers.iter().for_each(Line::print);
        rustc().print();
        match library::include() {
            Ok(directory) => Line::new(State::Ok, format!("gabion.h for programs: {}", directory.display())).print(),
            Err(error) => Line::new(State::Broken, format!("no place for the runtime and gabion.h: {error}")).print(),
        }
        let works = compilers.iter().any(|line| line.state == State::Ok);
        kernel().iter().for_each(Line::print);
        if works {
            say("Ready: gabion check works here.\n");
            Exit::Passed
        } else {
            say("Not ready: no compiler gave a program that could be checked; install gcc or clang and binutils.\n");
            Exit::Error
        }
    }
}

/// Is there a rustc?
fn rustc() -> Line {
    match Rustc::find(None) {
        Ok(rustc) => {
            let library = if rustc.has_sources() {
                "its standard library's sources are here, and compiled with programs"
            } else {
                "its standard library is used as it came (`rustup component add rust-src` installs the sources)"
            };
            Line::new(State::Ok, format!("rustc {}, for `gabion check program.rs`; {library}", rustc.version()))
        }
        Err(_) => Line::new(State::Missing, "rustc: not found; install it to check Rust programs"),
    }
}

/// A compiler, its version, and whether a program built with it can be checked.
fn compiler(c: &str, cxx: &str) -> Line {
    let Some(version) = first_line(c, &["--version"]) else {
        return Line::new(State::Missing, format!("{c}: not found; install it to use `--compiler {c}`"));
    };
    let with_cxx = match first_line(cxx, &["--version"]) {
        Some(_) => format!("and {cxx}"),
        None => format!("but no {cxx}: C++ programs cannot be built with it"),
    };
    match try_out(Path::new(c)) {
        Ok(runs) => Line::new(State::Ok, format!("{c} {with_cxx} ({version}): hooks live, bug found in run {runs}")),
        Err(error) => Line::new(State::Broken, format!("{c} ({version}): {error:#}")),
    }
}

/// Builds and checks the small program; gives the number of runs up to its bug.
fn try_out(compiler: &Path) -> Result<u64> {
    let directory = Scratch::new()?;
    let source = directory.path().join("racy.c");
    std::fs::write(&source, RACY)?;
    let program = Program { path: source, compiler: Some(PathBuf::from(compiler)), ..Program::default() };
    let executable = program::prepare(&program)?;
    let mut native = Native::start(executable.launch(&program)?)?;
    let settings = Settings {
        mode: Mode::Single,
        budget_runs: None,
        resume: None,
        keep_every: Duration::ZERO,
        is_low: || false,
        template: Plan::default(),
        narrowing: Narrowing::default(),
        program,
        search: gabion_search::Options::default(),
        budget: Some(Duration::from_secs(30)),
        max_runs: None,
        after_bug: AfterBug::Stop,
        allowed: Vec::new(),
        minimise_runs: 0,
        on_race: OnRace::Report,
        waits: Waits::default(),
        race_threads: RaceThreads::All,
        relation: HappensBefore::Pure,
        steering: HappensBefore::Pure,
        interrupt: Arc::new(AtomicBool::new(false)),
        progress_every: Duration::MAX,
    };
    let summary = Campaign::new(&mut native, settings).run(&mut |_| {});
    if let Some(error) = summary.error {
        return Err(anyhow!(error));
    }
    let found = summary.findings.first().map(|finding| finding.kind);
    if summary.verdict != Verdict::Bug || found != Some(Kind::Assertion) {
        bail!("a known bug was not found ({:?}): the compiler's hooks are not live", summary.verdict);
    }
    Ok(summary.progress.executed())
}

fn first_line(command: &str, args: &[&str]) -> Option<String> {
    let output = Command::new(command).args(args).output().ok().filter(|o| o.status.success())?;
    Some(String::from_utf8_lossy(&output.stdout).lines().next().unwrap_or_default().trim().to_string())
}

fn release() -> String {
    let release = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    format!("Linux {}", release.trim())
}

/// Major and minor number of the kernel.
fn kernel_version() -> Option<(u32, u32)> {
    let release = std::fs::read_to_string("/proc/sys/kernel/osrelease").ok()?;
    let mut numbers = release.split(|c: char| !c.is_ascii_digit());
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

fn kernel() -> Vec<Line> {
    let version = kernel_version().unwrap_or((0, 0));
    let line = |present: bool, what: &str, without: &str| match present {
        true => Line::new(State::Ok, what),
        false => Line::new(State::Missing, format!("{what}: {without}")),
    };
    let userfaultfd =
        Path::new("/dev/userfaultfd").exists() || Path::new("/proc/sys/vm/unprivileged_userfaultfd").exists();
    vec![
        line(
            hwcap2() & 2 != 0,
            "fsgsbase",
            "switching threads needs it; use Linux 5.9 or later on a processor with it",
        ),
        line(
            version >= (5, 11),
            "system call user dispatch",
            "system calls cannot be watched, so every run is a process of its own (slower); use Linux 5.11 or later",
        ),
        line(
            userfaultfd && version >= (6, 7),
            "userfaultfd and pagemap scan",
            "large programs are reset by copying all of their memory (slower); use Linux 6.7 or later",
        ),
        line(
            first_line("setarch", &["--addr-no-randomize", "true"]).is_some(),
            "personality (no address randomisation)",
            "not allowed here, or `setarch` is not installed; in a container, allow the personality system call",
        ),
    ]
}

/// The second word of processor features that the kernel gave this process.
fn hwcap2() -> u64 {
    const AT_HWCAP2: u64 = 26;
    let auxv = std::fs::read("/proc/self/auxv").unwrap_or_default();
    let words: Vec<u64> =
        auxv.chunks_exact(8).map(|w| u64::from_le_bytes(w.try_into().expect("eight bytes"))).collect();
    words.chunks_exact(2).find(|pair| pair[0] == AT_HWCAP2).map_or(0, |pair| pair[1])
}
