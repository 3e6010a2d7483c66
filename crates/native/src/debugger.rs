//! One run under gdb.
//!
//! gdb is our child and the program gdb's, so that gdb may trace it. The plan lies in the shared memory, whose descriptor both
//! inherit, before anybody runs: the program finds it however often it is started. What it prints goes through a pipe, as in
//! every run; a file of another kind would show in how the C library buffers.

use crate::memory::{self, Request, SharedMemory};
use crate::process::{self, Output};
use crate::target::Native;
use crate::{Launch, ahead::Way, library, limits};
use gabion_trace::shared::{CONTROL_FD, ResetMode};
use gabion_trace::{Plan, RunError};
use std::ffi::{OsStr, OsString};
use std::io::{self, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitStatus};

/// Where the program's output goes, in gdb and in the program.
const OUTPUT_FD: i32 = CONTROL_FD + 1;

/// How to call gdb.
#[derive(Clone, Debug)]
pub struct Debugger {
    /// Its name or path.
    pub program: OsString,
    /// What it is given besides the program, before it stops at the start.
    pub args: Vec<OsString>,
    /// What the run comes to, in words.
    pub bug: String,
    /// The program is not the one in which that was found.
    pub changed: bool,
    /// Its ending, as a number.
    pub ending: u8,
    /// What its threads are called.
    pub threads: Vec<String>,
}

impl Native {
    /// Runs a plan under gdb, which stops at the program's start. Gives how gdb ended.
    pub fn debug(&self, plan: &Plan, debugger: &Debugger) -> Result<ExitStatus, RunError> {
        let broken = |e: io::Error| RunError::Start(format!("{e}{}", limits::hint(&e)));
        let launch = self.launch();
        let mut memory = SharedMemory::new(ResetMode::InPlace, Output::Keep, self.image()).map_err(broken)?;
        memory.put(0, plan, false, Way::Together).map_err(|e| RunError::TooLong(e.to_string()))?;
        memory.only_once();
        memory.ask(Request { first: 0, plans: 1, goes_on: false, looks: 0 });
        let (mut printed, writer) = io::pipe().map_err(broken)?;
        let mut command = command(launch, debugger).map_err(broken)?;
        let (control, output, limit) = (memory.descriptor(), writer.as_raw_fd(), process::data_limit(plan));
        let umask = launch.surroundings.as_ref().map(|s| s.umask);
        let settle = move || {
            process::placed(umask)?;
            // SAFETY: async-signal-safe.
            unsafe { libc::signal(libc::SIGINT, libc::SIG_DFL) };
            memory::install(control)?;
            // SAFETY: async-signal-safe.
            if unsafe { libc::dup2(output, OUTPUT_FD) } < 0 {
                return Err(io::Error::last_os_error());
            }
            process::limits(limit);
            Ok(())
        };
        // SAFETY: `settle` makes only system calls.
        unsafe { command.pre_exec(settle) };
        let name = debugger.program.to_string_lossy().into_owned();
        let reader = std::thread::Builder::new().spawn(move || pass_on(&mut printed)).map_err(broken)?;
        let mut gdb = command.spawn().map_err(|e| match e.kind() {
            io::ErrorKind::NotFound => {
                RunError::Start(format!("{name} is not here; install it (Debian: apt install gdb)"))
            }
            _ => RunError::Start(format!("{name}: {e}")),
        })?;
        drop((command, writer));
        let status = gdb.wait().map_err(broken)?;
        let _ = reader.join();
        Ok(status)
    }
}

fn command(launch: &Launch, debugger: &Debugger) -> io::Result<Command> {
    let mut command = Command::new(&debugger.program);
    command.arg("-q");
    let mut tell = |line: OsString| _ = command.arg("-ex").arg(line);
    tell(join(["source ".as_ref(), library::gdb()?.as_os_str()]));
    tell("set confirm off".into());
    // `env` is what starts the program, so that neither gdb nor the shell in between has the runtime in it.
    let mut wrapper = OsString::from("set exec-wrapper env");
    let handed: Vec<(OsString, OsString)> = match launch.handed() {
        Some(handed) => {
            wrapper.push(" -i");
            handed.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
        }
        None => {
            wrapper.push(" -u LINES -u COLUMNS -u RUST_BACKTRACE -u RUST_LIB_BACKTRACE");
            Vec::new()
        }
    };
    let preload = (OsString::from("LD_PRELOAD"), library::path()?.into_os_string());
    let now = (OsString::from("LD_BIND_NOW"), OsString::from("1"));
    for (name, value) in handed.iter().chain(&launch.environment()).chain([&preload, &now]) {
        wrapper.push(" ");
        wrapper.push(quoted(&join([name, "=".as_ref(), value])));
    }
    tell(wrapper);
    if let Some(directory) = launch.directory() {
        tell(join(["set cwd ".as_ref(), directory.as_os_str()]));
    }
    let mut args = OsString::from("set args");
    for arg in &launch.args {
        args.push(" ");
        args.push(quoted(arg));
    }
    args.push(" <");
    args.push(quoted(launch.stdin.as_deref().unwrap_or("/dev/null".as_ref()).as_os_str()));
    args.push(format!(" >/proc/self/fd/{OUTPUT_FD} 2>&1"));
    tell(args);
    tell("start".into());
    command.args(&debugger.args).arg(&launch.program);
    command.env("SHELL", "/bin/sh").env("GABION_BUG", &debugger.bug);
    command.env("GABION_CHANGED", if debugger.changed { "1" } else { "" });
    command.env("GABION_ENDING", debugger.ending.to_string());
    command.env("GABION_THREADS", debugger.threads.join("\n"));
    Ok(command)
}

fn join<const N: usize>(parts: [&OsStr; N]) -> OsString {
    parts.iter().fold(OsString::new(), |mut all, part| {
        all.push(part);
        all
    })
}

/// For a shell.
fn quoted(text: &OsStr) -> OsString {
    let mut out = b"'".to_vec();
    for byte in text.as_bytes() {
        match byte {
            b'\'' => out.extend_from_slice(b"'\\''"),
            byte => out.push(*byte),
        }
    }
    out.push(b'\'');
    OsStr::from_bytes(&out).to_os_string()
}

/// What the program prints, as it comes.
fn pass_on(from: &mut impl Read) {
    let mut buffer = [0; 4096];
    while let Ok(n @ 1..) = from.read(&mut buffer) {
        let mut out = io::stdout().lock();
        if out.write_all(&buffer[..n]).and_then(|()| out.flush()).is_err() {
            break;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_reads_back_what_was_quoted() {
        for text in ["", "plain", "two words", "it's", "$HOME `x` \"y\" \\ ;|&<>*?", "new\nline"] {
            let line = join(["printf %s ".as_ref(), &quoted(text.as_ref())]);
            let out = Command::new("/bin/sh").arg("-c").arg(&line).output().expect("sh");
            assert_eq!(String::from_utf8_lossy(&out.stdout), text);
        }
    }
}
