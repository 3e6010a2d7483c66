//! One process of the program under test: start, requests, end.

use crate::Launch;
use crate::ahead::{Held, Way};
use crate::cores;
use crate::library;
use crate::limits;
use crate::memory::{self, Request, SharedMemory};
use crate::program::Image;
use gabion_trace::shared::{self, ResetMode, TURNS};
use gabion_trace::{EncodeError, Plan, RunError};
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::Ordering;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How often a wait looks whether the process is still there.
const TICK: Duration = Duration::from_millis(20);
/// Exit status of a runtime that cannot go on.
const GAVE_UP: i32 = 99;
/// How long a run may go without progress once the caller's time is over.
const LAST: Duration = Duration::from_secs(1);
/// How long a process that hangs has to say where.
const POKE: Duration = Duration::from_secs(1);
/// Output of the program that is kept.
const OUTPUT: usize = 64 << 10;
/// Address space for data beyond the heap limit: stacks, libraries, mappings of the program's own.
const EXTRA_DATA: u64 = 16 << 30;

/// Where the program's output goes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Output {
    /// Nowhere: search runs.
    Discard,
    /// Its beginning is kept.
    Keep,
}

/// What a process is for.
#[derive(Clone, Copy)]
pub struct Settings {
    pub mode: ResetMode,
    pub output: Output,
    /// Where it runs.
    pub core: Option<usize>,
}

/// How a request ended.
#[derive(Debug)]
pub enum Answer {
    /// All traces are there, or the process said that it cannot run more.
    Done,
    /// The process is gone.
    Died(Option<ExitStatus>),
    /// No answer within the watchdog's time.
    Hung,
}

/// A running program.
pub struct Process {
    pub memory: SharedMemory,
    /// Slot of the first plan of the last request.
    pub first: usize,
    held: Held,
    way: Way,
    child: Child,
    reader: Option<JoinHandle<Vec<u8>>>,
}

impl Process {
    pub fn start(launch: &Launch, image: &Image, settings: Settings, memory_limit: u64) -> Result<Self, RunError> {
        let memory = SharedMemory::new(settings.mode, settings.output, image)
            .map_err(|e| RunError::Start(format!("no shared memory: {e}{}", limits::hint(&e))))?;
        let (child, reader) = spawn(launch, &memory, settings, memory_limit)
            .map_err(|e| RunError::Start(format!("{}: {e}{}", launch.program.display(), limits::hint(&e))))?;
        let reader = Some(reader);
        Ok(Process { memory, first: 0, held: Held::default(), way: Way::Together, child, reader })
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// How it ended, if it has.
    pub fn exited(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().ok().flatten()
    }

    /// Lays out the plans and asks for them.
    pub fn ask(&mut self, plans: &[Plan], way: Way) -> Result<(), RunError> {
        let alone = plans.len() == 1;
        // What the target may have begun by itself takes up the plan of one of the slots that take turns, and the trace of
        // the other: that is the next one, so that neither is written here.
        self.first = if alone { shared::neighbour(self.first % TURNS) } else { TURNS };
        let goes_on = alone && self.held.begins(&plans[0]);
        for (slot, plan) in plans.iter().enumerate() {
            self.memory.put(self.first + slot, plan, goes_on, way).map_err(|e| match e {
                EncodeError::TooLong(_) => RunError::TooLong(e.to_string()),
                EncodeError::TooManySleepers(_) => RunError::Broken(e.to_string()),
            })?;
        }
        self.way = way;
        self.held.set(if alone && way == Way::Ahead { Some(&plans[0]) } else { None });
        let looks = way.looks();
        self.memory.ask(Request { first: self.first, plans: plans.len(), goes_on, looks });
        if goes_on {
            self.memory.copy_begun(self.first);
        }
        Ok(())
    }

    /// Waits for the answer to a request. The watchdog counts from the last sign of progress; so does the time that is
    /// left after the deadline.
    pub fn wait(
        &mut self,
        launch: &Launch,
        watchdog: Option<Duration>,
        deadline: Option<Instant>,
    ) -> Result<Answer, RunError> {
        let mut since = Instant::now();
        let mut seen = usize::MAX;
        loop {
            if self.memory.wait(TICK, self.way.looks()) {
                return Ok(Answer::Done);
            }
            if let Ok(Some(status)) = self.child.try_wait() {
                // It may have answered with its last breath.
                return Ok(if self.memory.answered() { Answer::Done } else { Answer::Died(Some(status)) });
            }
            let now = self.memory.current();
            if now != seen {
                (seen, since) = (now, Instant::now());
            }
            if watchdog.is_some_and(|limit| since.elapsed() > limit) {
                return Ok(Answer::Hung);
            }
            if since.elapsed() > LAST && deadline.is_some_and(|end| Instant::now() >= end) {
                return Err(RunError::OutOfTime);
            }
            if launch.interrupt.load(Ordering::Relaxed) {
                return Err(RunError::Interrupted);
            }
        }
    }

    /// Why the runtime in it gave up, if it did. Its word counts only with the exit status that goes with it: the program
    /// can write anything into the shared memory.
    pub fn failure(&mut self) -> Option<String> {
        if !self.memory.has_failed() {
            return None;
        }
        let patience = Instant::now();
        while patience.elapsed() < POKE && self.exited().is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        let gave_up = self.exited().and_then(|s| s.code()) == Some(GAVE_UP);
        gave_up.then(|| self.memory.text(0, &self.memory.head(0)))
    }

    /// Asks a process that hangs where it is, and gives it a moment to answer.
    pub fn poke(&mut self) -> bool {
        // SAFETY: our child, which is not reaped.
        unsafe { libc::kill(self.child.id() as i32, libc::SIGURG) };
        self.memory.wait(POKE, 0)
    }

    /// Ends the process and gives what was kept of its output.
    pub fn finish(mut self) -> String {
        self.memory.stop();
        let patience = Instant::now();
        while patience.elapsed() < TICK && matches!(self.child.try_wait(), Ok(None)) {
            std::thread::sleep(Duration::from_millis(1));
        }
        self.end();
        let output = self.reader.take().and_then(|r| r.join().ok()).unwrap_or_default();
        String::from_utf8_lossy(&output).into_owned()
    }

    fn end(&mut self) {
        if self.exited().is_none() {
            let group = self.child.id() as i32;
            // SAFETY: the group was made for this child; all in it are ours. The child is not reaped, so its number
            // cannot have been given to anybody else. (Its own children die with it.)
            unsafe { libc::kill(-group, libc::SIGKILL) };
            let _ = self.child.kill();
        }
        let _ = self.child.wait();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.end();
    }
}

fn spawn(
    launch: &Launch,
    memory: &SharedMemory,
    settings: Settings,
    limit: u64,
) -> io::Result<(Child, JoinHandle<Vec<u8>>)> {
    let mut command = Command::new(&launch.program);
    match launch.handed() {
        Some(handed) => command.env_clear().envs(handed),
        // A backtrace of a panic takes a thousand times as long as the run; --env asks for one all the same.
        None => command.env_remove("RUST_BACKTRACE").env_remove("RUST_LIB_BACKTRACE"),
    };
    command.args(&launch.args).envs(launch.environment());
    command.env("LD_PRELOAD", library::path()?).env("LD_BIND_NOW", "1");
    if let Some(directory) = launch.directory() {
        command.current_dir(directory);
    }
    match &launch.stdin {
        Some(path) => command.stdin(File::open(path)?),
        None => command.stdin(Stdio::null()),
    };
    // A pipe in either case: what kind of file it is shows in how the C library buffers.
    let (pipe, writer) = io::pipe()?;
    command.stdout(writer.try_clone()?).stderr(writer);
    let keep = if settings.output == Output::Keep { OUTPUT } else { 0 };
    let descriptor = memory.descriptor();
    let data = limit + EXTRA_DATA;
    let umask = launch.surroundings.as_ref().map(|s| s.umask);
    // SAFETY: `settle` makes only system calls.
    unsafe { command.pre_exec(move || settle(descriptor, data, settings.core, umask)) };
    // It ends when nobody can write any more; `command` has our end of the pipe's writer.
    let reader = std::thread::Builder::new().spawn(move || keep_beginning(pipe, keep))?;
    Ok((command.spawn()?, reader))
}

/// Reads everything, so that the program never waits for us, and keeps the beginning.
fn keep_beginning(mut from: impl Read, limit: usize) -> Vec<u8> {
    let mut kept = Vec::new();
    let mut buffer = vec![0; 64 << 10];
    while let Ok(n @ 1..) = from.read(&mut buffer) {
        let room = limit.saturating_sub(kept.len());
        kept.extend_from_slice(&buffer[..n.min(room)]);
    }
    kept
}

/// In the child: its core, fixed addresses, a group of its own, death with us, no core files, a limit on memory.
fn settle(descriptor: i32, data: u64, core: Option<usize>, umask: Option<u32>) -> io::Result<()> {
    core.into_iter().for_each(cores::stay);
    // SAFETY: plain system calls.
    unsafe {
        libc::setpgid(0, 0);
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        for signal in 1..32 {
            libc::signal(signal, libc::SIG_DFL);
        }
    }
    placed(umask)?;
    // There is room for the agreed descriptor; it stays open below a lower limit.
    memory::install(descriptor)?;
    limits(data);
    Ok(())
}

/// In a child: what decides where the kernel puts the program's memory, and the permissions of new files.
pub fn placed(umask: Option<u32>) -> io::Result<()> {
    const NO_RANDOMISATION: libc::c_ulong = 0x004_0000;
    // SAFETY: plain system calls.
    unsafe {
        // Nothing else: not the layout of old that `setarch -L` asks for, nor what `-X` does to every mapping.
        if libc::personality(NO_RANDOMISATION) < 0 {
            return Err(io::Error::last_os_error());
        }
        umask.into_iter().for_each(|mask| _ = libc::umask(mask));
    }
    Ok(())
}

/// What a process of a plan may use, beyond the plan's own limit, which the runtime keeps.
pub fn data_limit(plan: &Plan) -> u64 {
    plan.limits.memory + EXTRA_DATA
}

/// Open files, and bytes of the kernel's stack, that every program may have, as far as the caller may have so many. From
/// the size of the stack the kernel computes where libraries go, and without a limit it puts them elsewhere altogether.
const FILES: u64 = 1024;
const STACK: u64 = 8 << 20;

/// In a child: room for files and a stack that do not depend on the caller, no core files, a limit on memory; otherwise the limits of whoever started us.
pub fn limits(data: u64) {
    let set = |resource, value| {
        let limit = libc::rlimit { rlim_cur: value, rlim_max: value };
        // SAFETY: a plain system call.
        unsafe { libc::setrlimit(resource, &limit) };
    };
    limits::put_back();
    for (resource, value) in [(libc::RLIMIT_NOFILE, FILES), (libc::RLIMIT_STACK, STACK)] {
        let mut now = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        // SAFETY: a plain system call.
        unsafe { libc::getrlimit(resource, &mut now) };
        set(resource, value.min(now.rlim_max));
    }
    set(libc::RLIMIT_CORE, 0);
    set(libc::RLIMIT_DATA, data);
}

/// How a process ended, in words.
pub fn describe(status: Option<ExitStatus>) -> String {
    match status.map(|s| (s.signal(), s.code())) {
        Some((Some(signal), _)) => format!("the process was killed by signal {signal}"),
        Some((None, Some(code))) => format!("the process ended by itself with status {code}"),
        _ => "the process died".into(),
    }
}
