//! Runs the built `gabion` as a user would, within a wall-clock limit, and looks at what it leaves behind.

use serde_json::Value;
use std::fs::File;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// Wall-clock limit of one call of `gabion` or of a compiler: a net under tests that hang. It decides nothing else, whatever
/// the machine does besides; how far a search goes is limited in runs and steps.
pub const LIMIT: Duration = Duration::from_secs(15 * 60);

/// The `gabion` executable, built in release mode on first use into the target directory that this test came from.
/// `GABION` in the environment names another one.
pub fn gabion() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| match std::env::var_os("GABION") {
        Some(path) => PathBuf::from(path),
        None => build(),
    })
}

/// The target directory that this test came from.
pub(crate) fn target() -> PathBuf {
    let exe = std::env::current_exe().expect("the test knows its own path");
    let profile =
        exe.ancestors().find(|d| d.join(".fingerprint").is_dir()).expect("the test lies in a target directory");
    profile.parent().expect("a profile lies in a target directory").to_path_buf()
}

fn build() -> PathBuf {
    let target = target();
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .args(["build", "--quiet", "--release", "-p", "gabion-cli", "--target-dir"])
        .arg(&target)
        .current_dir(crate::workspace())
        .status()
        .expect("cargo can be started");
    assert!(status.success(), "gabion-cli does not build");
    target.join("release/gabion")
}

/// In the environment, and not empty: Rust programs are linked with the prebuilt standard library. Most tests are, wherever they run.
pub const PREBUILT: &str = "GABION_PREBUILT_STD";

/// What one call of `gabion` gave.
#[derive(Debug)]
pub struct Output {
    /// How it ended.
    pub status: ExitStatus,
    /// All of its standard output.
    pub stdout: String,
    /// All of its standard error.
    pub stderr: String,
    /// Processes of this call that were still there after it had ended.
    pub left_behind: Vec<String>,
}

impl Output {
    /// The exit status; a signal is reported as text.
    pub fn code(&self) -> Result<i32, String> {
        self.status
            .code()
            .ok_or_else(|| format!("gabion was killed by signal {:?}\n{}", self.status.signal(), self.tail()))
    }

    /// The one JSON object on standard output.
    pub fn json(&self) -> Result<Value, String> {
        let text = self.stdout.trim_end();
        serde_json::from_str(text).map_err(|e| format!("standard output is not one JSON object ({e})\n{}", self.tail()))
    }

    /// The last lines of both streams, for messages.
    pub fn tail(&self) -> String {
        let last = |text: &str| {
            let lines: Vec<&str> = text.lines().collect();
            lines[lines.len().saturating_sub(30)..].join("\n")
        };
        format!("--- stdout\n{}\n--- stderr\n{}", last(&self.stdout), last(&self.stderr))
    }
}

/// A running `gabion` in a process group and a temporary directory of its own.
#[derive(Debug)]
pub struct Running {
    child: Child,
    directory: PathBuf,
    /// When it began, in the kernel's ticks.
    since: u64,
}

/// Starts `gabion` with these arguments. Everything it writes goes into `directory`.
pub fn start(directory: &Path, args: &[String]) -> Running {
    start_with(directory, args, &[])
}

fn start_with(directory: &Path, args: &[String], environment: &[(&str, &str)]) -> Running {
    let temporary = directory.join("tmp");
    std::fs::create_dir_all(&temporary).expect("a temporary directory can be made");
    let file = |name: &str| File::create(directory.join(name)).expect("a file can be made");
    // Whoever started the tests may ignore signals (a script's `&` does), and gabion goes on ignoring what it finds ignored.
    let child = Command::new("env")
        .arg("--default-signal=INT,HUP,TERM")
        .arg(gabion())
        .args(args)
        .current_dir(directory)
        .env("TMPDIR", &temporary)
        .env_remove("CC")
        .env_remove("CXX")
        .env(PREBUILT, "as the tests ask for it")
        .envs(environment.iter().copied())
        .stdin(Stdio::null())
        .stdout(file("stdout"))
        .stderr(file("stderr"))
        .process_group(0)
        .spawn()
        .expect("gabion can be started");
    let since = Stat::of(child.id()).map_or(0, |stat| stat.since);
    Running { child, directory: directory.to_path_buf(), since }
}

impl Running {
    /// Sends a signal by name, as `kill` takes it.
    pub fn signal(&self, name: &str) {
        let sent = Command::new("kill").args(["-s", name, &self.child.id().to_string()]).status();
        assert!(sent.is_ok_and(|s| s.success()), "kill works");
    }

    /// Its process id.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Has it not ended yet?
    pub fn is_running(&self) -> bool {
        Stat::of(self.child.id()).is_some_and(|stat| !stat.dead)
    }

    /// Waits until it has written a file of this name.
    pub fn wait_for(&self, name: &str) {
        let start = Instant::now();
        while !self.directory.join(name).exists() {
            assert!(self.is_running() && start.elapsed() < LIMIT, "gabion has not written {name}");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Waits for the end; after `limit` it is killed and that is the error.
    pub fn wait(mut self, limit: Duration) -> Result<Output, String> {
        let group = self.child.id();
        let start = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().map_err(|e| e.to_string())? {
                break Some(status);
            }
            if start.elapsed() > limit {
                break None;
            }
            // Nobody waits much longer than it took.
            std::thread::sleep((start.elapsed() / 8).clamp(Duration::from_micros(500), Duration::from_millis(20)));
        };
        let left_behind = left_behind(group, &self.directory, self.since);
        kill(group, &left_behind);
        let text = |name: &str| {
            let bytes = std::fs::read(self.directory.join(name)).unwrap_or_default();
            String::from_utf8_lossy(&bytes).into_owned()
        };
        let status = match status {
            Some(status) => status,
            None => {
                let _ = self.child.kill();
                let status = self.child.wait().map_err(|e| e.to_string())?;
                let output = Output { status, stdout: text("stdout"), stderr: text("stderr"), left_behind };
                return Err(format!("gabion was still running after {limit:?}\n{}", output.tail()));
            }
        };
        Ok(Output { status, stdout: text("stdout"), stderr: text("stderr"), left_behind })
    }
}

/// One call from start to end.
pub fn call(directory: &Path, args: &[String], limit: Duration) -> Result<Output, String> {
    start(directory, args).wait(limit)
}

/// The same with more in its environment.
pub fn call_with(
    directory: &Path,
    args: &[String],
    environment: &[(&str, &str)],
    limit: Duration,
) -> Result<Output, String> {
    start_with(directory, args, environment).wait(limit)
}

/// What the kernel says of a process.
struct Stat {
    dead: bool,
    group: u32,
    since: u64,
}

impl Stat {
    fn of(pid: u32) -> Option<Stat> {
        let text = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        // After the name in parentheses: state, parent, process group; the start is the twentieth.
        let fields: Vec<&str> = text.rsplit(')').next()?.split_whitespace().collect();
        let dead = matches!(*fields.first()?, "Z" | "X");
        Some(Stat { dead, group: fields.get(2)?.parse().ok()?, since: fields.get(19)?.parse().ok()? })
    }
}

/// Processes that belong to a call: its process group, and what began after it and mentions its directory.
fn left_behind(group: u32, directory: &Path, since: u64) -> Vec<String> {
    // A child that is about to die has a moment to do so: its end may be seen just after its parent's.
    for _ in 0..20 {
        if members(group, directory, since).is_empty() {
            return Vec::new();
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    members(group, directory, since)
}

fn members(group: u32, directory: &Path, since: u64) -> Vec<String> {
    let mut found = Vec::new();
    let own = std::process::id();
    for entry in std::fs::read_dir("/proc").expect("/proc is there").flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|n| n.parse::<u32>().ok()) else { continue };
        let Some(stat) = Stat::of(pid).filter(|stat| stat.since >= since && !stat.dead && pid != own) else { continue };
        let exe = std::fs::read_link(entry.path().join("exe")).unwrap_or_default();
        let environment = std::fs::read(entry.path().join("environ")).unwrap_or_default();
        let ours = String::from_utf8_lossy(&environment).contains(&*directory.to_string_lossy());
        if stat.group == group || ours || exe.starts_with(directory) {
            found.push(format!("{pid} {}", exe.display()));
        }
    }
    found
}

fn kill(group: u32, left: &[String]) {
    if left.is_empty() {
        return;
    }
    // Without the two dashes some versions of `kill` read the group 12345 as -1, which is every process there is.
    let _ = Command::new("kill").args(["-s", "KILL", "--", &format!("-{group}")]).stderr(Stdio::null()).status();
    for process in left.iter().filter_map(|p| p.split(' ').next()) {
        let _ = Command::new("kill").args(["-9", process]).stderr(Stdio::null()).status();
    }
}
