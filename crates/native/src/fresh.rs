//! Runs in a process of their own, from the program's beginning.
//!
//! Whatever is found is confirmed so. A program that changes files is run so every time: its `main` prepares them before the
//! first thread starts, and only who runs `main` again finds them prepared. What a run leaves behind is not put back: a run
//! that ends early does not tidy up, and the next may come upon that. It is an error if it then does not even get to where
//! the first thread starts, never a finding.

use crate::ahead::Way;
use crate::process::{Answer, Output, Process, describe};
use crate::target::{KILLED, Native};
use gabion_trace::shared::ResetMode;
use gabion_trace::{Coverage, Decision, Ending, Outcome, Plan, RunError, Trace};
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::Instant;

impl Native {
    /// One run in a brand-new process. Gives what the program printed as well.
    pub fn confirm(&mut self, plan: &Plan) -> Result<(Trace, String), RunError> {
        self.alone(plan, Output::Keep, None) // what is found is confirmed, however late it is
    }

    /// The same. A process that is killed was killed by somebody else, or by the kernel for want of memory: no program does that
    /// to itself. It is tried again.
    pub(crate) fn alone(
        &mut self,
        plan: &Plan,
        output: Output,
        deadline: Option<Instant>,
    ) -> Result<(Trace, String), RunError> {
        let mut tries = 0;
        loop {
            tries += 1;
            let (trace, printed, killed) = self.once(plan, output, deadline)?;
            if !killed || tries == KILLED {
                return Ok((trace, printed));
            }
        }
    }

    /// The same once. True: the process was killed.
    fn once(
        &mut self,
        plan: &Plan,
        output: Output,
        deadline: Option<Instant>,
    ) -> Result<(Trace, String, bool), RunError> {
        let mut killed = false;
        let mut process = self.process(ResetMode::Never, output, plan.limits.memory)?;
        process.ask(std::slice::from_ref(plan), Way::Together)?;
        let trace = match process.wait(self.launch(), self.patience(plan), deadline)? {
            Answer::Done => read(&mut process, plan)?,
            Answer::Died(status) => {
                killed = status.is_some_and(is_killed);
                died(&mut process, plan, status)
            }
            Answer::Hung if process.poke() => read(&mut process, plan)?,
            Answer::Hung => hung(&mut process, plan),
        };
        let printed = if output == Output::Keep { process.finish() } else { String::new() };
        Ok((trace, printed, killed))
    }

    /// A run of a program that changes what is outside.
    pub(crate) fn run_anew(&mut self, plan: &Plan) -> Result<Trace, RunError> {
        let (trace, _) = self.alone(plan, Output::Discard, self.launch().deadline)?;
        let lost = matches!(trace.outcome.ending, Ending::Died | Ending::Hung | Ending::Scribbled);
        if self.becomes_concurrent && trace.threads.is_empty() && !lost {
            let Outcome { ending, message, .. } = &trace.outcome;
            return Err(RunError::LeftBehind(format!("{ending:?} {message}").trim_end().to_string()));
        }
        Ok(trace)
    }
}

/// How the next run must begin after runs that did all this, if not from memory that is put back.
pub fn needed(mode: ResetMode, coverage: Coverage) -> ResetMode {
    match mode {
        _ if coverage.has(Coverage::OUTSIDE) => ResetMode::Never,
        ResetMode::InPlace if coverage.has(Coverage::NEEDS_FORK) => ResetMode::Fork,
        mode => mode,
    }
}

/// The trace of a run in a process of its own.
pub fn read(process: &mut Process, plan: &Plan) -> Result<Trace, RunError> {
    if let Some(text) = process.failure() {
        return Err(RunError::Broken(format!("the runtime stopped: {text}")));
    }
    match process.memory.take(process.first, None) {
        Ok(trace) if trace.id == plan.id => Ok(trace),
        _ => Ok(broken(process, plan, Ending::Scribbled, "the program overwrote memory that is not its own".into())),
    }
}

pub fn is_killed(status: ExitStatus) -> bool {
    status.signal() == Some(libc::SIGKILL)
}

fn died(process: &mut Process, plan: &Plan, status: Option<ExitStatus>) -> Trace {
    broken(process, plan, Ending::Died, describe(status))
}

fn hung(process: &mut Process, plan: &Plan) -> Trace {
    let text = "the program made no progress within the watchdog's time, twice".into();
    broken(process, plan, Ending::Hung, text)
}

/// The trace of a run that could not finish: the choices that it had written, and the ending that we saw.
fn broken(process: &mut Process, plan: &Plan, ending: Ending, message: String) -> Trace {
    let slot = process.first;
    let mut head = process.memory.head(slot);
    head.id = plan.id.0;
    head.ending = ending as u8;
    head.text_len = 0;
    let mut trace = process.memory.decode(slot, &head, None).unwrap_or_else(|_| {
        head.records = 0;
        head.choices = 0;
        head.threads = 0;
        let mut trace = process.memory.decode(slot, &head, None).expect("internal error: an empty trace is a trace");
        trace.decisions = plan
            .choices
            .iter()
            .map(|c| Decision { choice: *c, values: [c.value].into_iter().collect(), free: false })
            .collect();
        trace
    });
    trace.outcome.message = message;
    trace
}
