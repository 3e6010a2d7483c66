//! Exit statuses: all of them, here only.

use gabion_native::build::BuildError;
use gabion_report::{Report, Verdict};
use std::process::ExitCode;

/// How the process ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// `verified` or `complete`; replay: the bug is gone.
    Passed,
    /// A bug.
    Bug,
    /// Could not build or run, wrong usage, replay diverged.
    Error,
    /// A budget or limit came first.
    Partial,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(match exit {
            Exit::Passed => 0,
            Exit::Bug => 1,
            Exit::Error => 2,
            Exit::Partial => 3,
        })
    }
}

impl Exit {
    /// Of a report. An output that could not be written is an error, unless a bug was found: that stays one, whatever happened afterwards.
    pub(crate) fn of(report: &Report) -> Exit {
        let unwritten = report.unwritten || report.tests.iter().any(|test| test.report.unwritten);
        if unwritten && report.verdict != Verdict::Bug { Exit::Error } else { report.verdict.into() }
    }

    /// The same of standard output, whatever the command.
    pub(crate) fn unless_lost(self) -> Exit {
        if crate::console::is_lost() && self != Exit::Bug { Exit::Error } else { self }
    }
}

impl From<Verdict> for Exit {
    fn from(verdict: Verdict) -> Exit {
        match verdict {
            Verdict::Verified | Verdict::Complete => Exit::Passed,
            Verdict::Bug => Exit::Bug,
            Verdict::Partial => Exit::Partial,
            Verdict::Error => Exit::Error,
        }
    }
}

/// Status of a tool that we stand in for: its own.
pub(crate) fn of_tool(result: Result<i32, BuildError>) -> ExitCode {
    match result {
        Ok(status) => ExitCode::from(u8::try_from(status).unwrap_or(1)),
        Err(error) => {
            crate::console::complain(&error.to_string());
            Exit::Error.into()
        }
    }
}
