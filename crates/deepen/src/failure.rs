//! A failure as the program itself tells it: who panicked where, which test failed and why. A test that fails is caught by its
//! framework, which then ends the program elsewhere.

use crate::framework::said;
use crate::kind::Kind;
use crate::libtest::FailedTest;
use crate::naming::Namer;
use crate::panic::{Panic, Raised};
use gabion_trace::{Frame, Step, ThreadId, Trace};

/// The status of a Rust program that a panic ended, and of tests that failed.
pub(crate) const PANICKED: i32 = 101;

/// What a run that failed is told by.
#[derive(Clone, Debug)]
pub(crate) struct Failure {
    pub(crate) kind: Kind,
    pub(crate) message: String,
    /// Whose it is.
    pub(crate) thread: ThreadId,
    /// Where, innermost first.
    pub(crate) stack: Vec<Frame>,
    pub(crate) place: Option<Frame>,
    /// The step in which it happened; none: the last.
    pub(crate) step: Option<usize>,
}

impl Failure {
    /// The same, with what the program printed.
    pub(crate) fn told(mut self, namer: &mut Namer<'_>, trace: &Trace, output: &str, code: i32) -> Failure {
        let of_tests = self.kind == Kind::Exit && code == PANICKED;
        let test = FailedTest::of(output).filter(|_| of_tests);
        let panics = of_tests || matches!(self.kind, Kind::Panic | Kind::Abort);
        match (panics.then(|| Panic::of(output)).flatten(), test) {
            (Some(panic), test) => {
                self.panicked(namer, trace, panic);
                self.message = test.filter(|t| !t.why.is_empty()).map_or(self.message, |test| test.words());
            }
            (None, Some(test)) if !test.why.is_empty() || Raised::last(trace).is_none() => {
                self.failed(namer, trace, &test);
            }
            (None, test) if test.is_some() || self.kind == Kind::Panic => self.panicked_silently(namer, trace),
            (None, None) if self.kind == Kind::Exit => self.returned(namer, trace, output),
            _ => {}
        }
        if let Some(said) = said(output).filter(|_| self.kind == Kind::Exit) {
            self.message = format!("{}: {}", self.message, said.why);
            self.place = Some(said.place);
        }
        self
    }

    fn panicked(&mut self, namer: &mut Namer<'_>, trace: &Trace, panic: Panic) {
        let raised = panic.raised(trace);
        let place = self.frame(panic.file, panic.line);
        if let Some(raised) = &raised {
            self.raised(namer, trace, raised);
            self.stack.insert(0, place.clone());
        }
        if self.kind == Kind::Exit {
            self.kind = Kind::Panic;
        }
        (self.message, self.place) = (panic.message, Some(place));
    }

    /// The hook of the program's own has not said a word, and yet a panic was raised. Where a prebuilt library raises it, what
    /// called that is not known, and the thread's last step before it is the nearest place that is.
    fn panicked_silently(&mut self, namer: &mut Namer<'_>, trace: &Trace) {
        let Some(raised) = Raised::last(trace) else { return };
        self.raised(namer, trace, &raised);
        if let Some(step) = self.step.map(|step| &trace.steps[step])
            && Frame::place(&self.stack).is_none_or(Frame::is_library)
        {
            self.stack = namer.stack(step.pending.map_or(0, |pending| pending.pc), trace.stack(step));
        }
        self.place = Frame::place(&self.stack).cloned();
        self.kind = Kind::Panic;
        self.message = "panicked; with what words is not known, because the program's panic hook prints none".into();
    }

    fn raised(&mut self, namer: &mut Namer<'_>, trace: &Trace, raised: &Raised<'_>) {
        self.thread = raised.thread;
        self.stack = namer.stack(0, raised.sites);
        self.step = Some(raised.began(trace, |pc| namer.is_library(pc)));
    }

    /// A test failed without a panic: where it is defined.
    fn failed(&mut self, namer: &mut Namer<'_>, trace: &Trace, test: &FailedTest) {
        // What a status says nobody prints.
        let why = if test.why.is_empty() { ": it returned what stands for failure" } else { "" };
        self.message = format!("{}{why}", test.words());
        let mut last = None;
        for (number, step) in trace.steps.iter().enumerate().rev() {
            let stack = namer.stack(0, trace.stack(step));
            let called = |frame: &Frame| frame.function.as_deref().is_some_and(|name| test.is_called_by(name));
            if let Some(frame) = stack.into_iter().find(called) {
                last = Some((number, step.thread, frame));
                break;
            }
        }
        let told = test.place.clone().map(|(file, line)| self.frame(file, line));
        if let Some((number, thread, _)) = &last {
            (self.step, self.thread) = (Some(*number), *thread);
        }
        if let Some(place) = last.map(|(_, _, frame)| frame).or(told) {
            self.stack = vec![place.clone()];
            self.place = Some(place);
        }
    }

    /// `main` returned what stands for failure, and the library's own code ended the program: the last place in `main` that is known.
    fn returned(&mut self, namer: &mut Namer<'_>, trace: &Trace, output: &str) {
        if self.place.as_ref().is_some_and(|frame| frame.line.is_some() && !frame.is_library()) {
            return;
        }
        let is_main = |frame: &Frame| {
            let named = frame.function.as_deref().is_some_and(|name| name.ends_with("::main"));
            named && frame.file.as_deref().is_some_and(|file| file.ends_with(".rs"))
        };
        let own = trace.steps.iter().rev().filter(|step| step.thread == self.thread);
        let in_main = |step: &Step| {
            let stack = namer.stack(step.pending.map_or(0, |pending| pending.pc), trace.stack(step));
            stack.into_iter().rfind(|frame| frame.line.is_some() && !frame.is_library()).filter(is_main)
        };
        let Some(place) = own.into_iter().find_map(in_main) else { return };
        let error = output.lines().rfind(|line| line.starts_with("Error: "));
        let error = error.map_or(String::new(), |error| format!(": {error}"));
        let function = place.function.clone().unwrap_or_default();
        self.message = format!("{}, which {function} returned{error}", self.message);
        self.stack = vec![place.clone()];
        self.place = Some(place);
    }

    fn frame(&self, file: String, line: u32) -> Frame {
        let module = self.place.as_ref().map(|frame| frame.module.clone()).unwrap_or_default();
        Frame { function: None, file: Some(file), line: Some(line), module }
    }
}
