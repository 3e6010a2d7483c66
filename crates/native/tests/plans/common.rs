//! Real programs under single plans: every plan is run twice in place and once in a new process, and gives equal traces.

use gabion_native::{Launch, Native, Way};
use gabion_trace::{Contended, Plan, Recording, Seal, Sleeper, Step, Target, ThreadId, Trace};
use object::{Object, ObjectSymbol};
use std::collections::HashMap;
use std::process::Command;
use tempfile::TempDir;

pub const T1: ThreadId = ThreadId(1);

/// A program, built and started. Its threads run a function called `work`.
pub struct Subject {
    _directory: TempDir,
    native: Native,
    /// Where its functions are in memory, and how long.
    functions: HashMap<String, (u64, u64)>,
}

impl Subject {
    pub fn new(source: &str) -> Subject {
        let directory = TempDir::new().expect("a temporary directory");
        let (file, program) = (directory.path().join("program.c"), directory.path().join("program"));
        std::fs::write(&file, source).expect("a file");
        let status = Command::new(env!("CARGO_BIN_EXE_gabion-wrappers"))
            .args(["cc", "-O1", "-g", "-pthread", "-Wno-unused"])
            .arg(&file)
            .arg("-o")
            .arg(&program)
            .env("CC", "gcc")
            .status()
            .expect("the wrapper starts");
        assert!(status.success(), "{status}");
        let bytes = std::fs::read(&program).expect("the program can be read");
        let executable = object::File::parse(&*bytes).expect("an executable");
        let symbols = executable.symbols().filter_map(|s| Some((s.name().ok()?.to_owned(), (s.address(), s.size()))));
        let functions = symbols.collect();
        // Plans that say how the next begins are run ahead, where there is another core.
        let launch = Launch { begin: Way::Ahead, ..Launch::new(&program) };
        let native = Native::start(launch).expect("the program starts");
        let mut subject = Subject { _directory: directory, native, functions };
        let slide = subject.run(Plan::default()).threads[1].start - subject.functions["work"].0;
        subject.functions.values_mut().for_each(|f| f.0 += slide);
        subject
    }

    /// What a plan gives, whatever was run before. Every access is a point.
    pub fn run(&mut self, plan: Plan) -> Trace {
        self.run_as_it_is(Plan { contended: vec![Contended::ALL], ..plan })
    }

    /// As [`Subject::run`], with points only where the plan says so.
    pub fn run_as_it_is(&mut self, plan: Plan) -> Trace {
        let plan = Plan { recording: Recording::Accesses, ..plan };
        let mut traces = Vec::new();
        self.native.run(&[plan.clone(), plan.clone()], &mut traces).expect("two runs in place");
        traces.push(self.native.confirm(&plan).expect("a run in a new process").0);
        assert!(traces[1] == traces[0] && traces[2] == traces[0], "one plan gave different traces: {traces:#?}");
        traces.swap_remove(0)
    }

    /// One run in place, where there are too many to repeat each.
    pub fn once(&mut self, plan: Plan) -> Trace {
        let mut traces = Vec::new();
        let plan = Plan { recording: Recording::Accesses, contended: vec![Contended::ALL], ..plan };
        self.native.run(&[plan], &mut traces).expect("a run in place");
        traces.swap_remove(0)
    }

    /// Runs that were begun before they were asked for.
    #[allow(dead_code, reason = "one test needs it, in a process of its own")]
    pub fn begun(&self) -> u64 {
        self.native.stats().ahead
    }

    /// A predicate about a function.
    pub fn seal(&self, function: &str, allow: bool) -> Seal {
        let (from, size) = self.functions[function];
        Seal { from, to: from + size, allow }
    }

    /// The functions in which a thread's steps begin.
    pub fn beginnings(&mut self, trace: &Trace, thread: ThreadId) -> Vec<String> {
        let pcs = trace.steps.iter().filter(|s| s.thread == thread).filter_map(|s| Some(s.pending?.pc));
        pcs.map(|pc| self.native.symbols().function(pc)).collect()
    }
}

/// A thread's step by its own number.
pub fn step(trace: &Trace, thread: ThreadId, number: u32) -> &Step {
    let wanted = |s: &&Step| s.thread == thread && s.number == number;
    trace.steps.iter().find(wanted).expect("the thread has that many steps")
}

/// The event that was a thread's step in a run, asleep.
pub fn sleeper(trace: &Trace, thread: ThreadId, number: u32, values: &[u32]) -> Sleeper {
    let footprint = trace.footprint(step(trace, thread, number));
    Sleeper { thread, step: number, values: values.to_vec(), footprint }
}
