//! A native program as a target: batches of plans in, traces out, whatever the program does.
//!
//! A process that dies, hangs or overwrites the shared memory is replaced and the plan run again alone in a new one; if
//! that happens twice it is the plan's outcome. A run that leaves what memory cannot undo moves the program to a process
//! per run. Now and then a run is repeated in such a process and must have the same hash: see [`SAMPLE`].

use crate::Launch;
use crate::ahead::{Pace, Way};
use crate::cores::{Cores, Place};
use crate::process::{Answer, Output, Process, Settings, describe};
use crate::program::Image;
use crate::symbols::Symbols;
use gabion_trace::shared::{ResetMode, SLOTS, TURNS};
use gabion_trace::{Caveat, Coverage, Ending, Outcome, Plan, RunError, Target, ThreadId, Trace};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::ExitStatus;
use std::time::{Duration, Instant};

/// After so many runs one is repeated in a process that has run nothing before; then after twice as many, and so on until they are
/// [`SPARSE`] apart: what escapes a reset is seen early or hardly ever, and a repetition costs as much as hundreds of runs.
const SAMPLE: u64 = 1000;
const SPARSE: u64 = 8 * SAMPLE;
/// So many processes in a row must be killed before that is believed to be the run's own end.
const KILLED: u32 = 5;
/// Plans out at once. More than a few gains nothing, and they delay what the first trace could tell.
const BATCH: usize = 8;

/// What has happened so far.
#[derive(Clone, Copy, Debug, Default)]
pub struct Stats {
    /// Runs asked for.
    pub runs: u64,
    /// Processes started again.
    pub restarts: u64,
    /// Runs repeated for comparison.
    pub repeated: u64,
    /// Runs that the target had begun before they were asked for.
    pub ahead: u64,
    /// Every run has a process of its own.
    pub forks: bool,
    /// Bytes that a reset restores.
    pub reset_bytes: u32,
    /// Written pages of large mappings are tracked.
    pub tracking: bool,
}

/// A native program.
pub struct Native {
    launch: Launch,
    image: Image,
    process: Option<Process>,
    /// A process for repeating runs.
    checker: Option<Process>,
    mode: ResetMode,
    symbols: Option<Symbols>,
    coverage: Coverage,
    stats: Stats,
    /// Runs after which the next is repeated.
    sample_after: u64,
    /// Traces whose memory is used again.
    spare: Vec<Trace>,
    cores: Cores,
    pace: Pace,
}

impl Native {
    /// Looks at the program and makes sure that it can be run.
    pub fn start(launch: Launch) -> Result<Self, RunError> {
        let image = Image::open(&launch.program)?;
        let pace = Pace::new(launch.begin);
        let mut native = Native {
            launch,
            image,
            process: None,
            checker: None,
            mode: ResetMode::InPlace,
            symbols: None,
            coverage: Coverage(0),
            stats: Stats::default(),
            sample_after: SAMPLE,
            spare: Vec::new(),
            cores: Cores::choose(),
            pace,
        };
        native.learn_modules()?;
        Ok(native)
    }

    /// What the verdict cannot claim because of how the program was built; what runs do is in their coverage.
    pub fn caveats(&self) -> Vec<Caveat> {
        let mut caveats = self.image.caveats();
        caveats.sort();
        caveats.dedup();
        caveats
    }

    /// What are caveats too once a thread has touched the stack of another.
    pub fn stack_caveats(&self) -> Vec<Caveat> {
        self.image.stack_caveats().to_vec()
    }

    /// What is one too once a run has called what nobody models.
    pub fn call_caveat(&self) -> Option<Caveat> {
        self.image.call_caveat()
    }

    /// Is it a Rust program whose standard library was compiled like the program?
    pub fn has_rebuilt_library(&self) -> bool {
        self.image.rebuilt_library
    }

    /// Hash of the executable.
    pub fn program_hash(&self) -> u64 {
        self.image.hash
    }

    /// The files that it has loaded, its executable first.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        self.known_symbols().modules().map(|(module, _)| module.path.as_path())
    }

    /// How the program is run, and what is known of it.
    pub(crate) fn launch(&self) -> &Launch {
        &self.launch
    }
    pub(crate) fn image(&self) -> &Image {
        &self.image
    }

    /// What has happened so far.
    pub fn stats(&self) -> Stats {
        self.stats
    }

    pub(crate) fn known_symbols(&self) -> &Symbols {
        self.symbols.as_ref().expect("internal error: modules are learnt at the start")
    }

    /// Names for addresses.
    pub fn symbols(&mut self) -> &mut Symbols {
        self.symbols.as_mut().expect("internal error: modules are learnt at the start")
    }

    /// One run in a brand-new process. Gives what the program printed as well.
    pub fn confirm(&mut self, plan: &Plan) -> Result<(Trace, String), RunError> {
        self.confirm_until(plan, None) // what is found is confirmed, however late it is
    }

    pub(crate) fn confirm_until(
        &mut self,
        plan: &Plan,
        deadline: Option<Instant>,
    ) -> Result<(Trace, String), RunError> {
        let mut again = self.run_fresh(plan, deadline)?;
        for _ in 1..KILLED {
            if !again.2 {
                break;
            }
            again = self.run_fresh(plan, deadline)?;
        }
        Ok((again.0, again.1))
    }

    /// The same once. True: the process was killed, which no program does to itself: somebody else did, or the kernel for
    /// want of memory.
    fn run_fresh(&mut self, plan: &Plan, deadline: Option<Instant>) -> Result<(Trace, String, bool), RunError> {
        let mut killed = false;
        let mut process = self.process(ResetMode::InPlace, Output::Keep, plan.limits.memory)?;
        process.ask(std::slice::from_ref(plan), Way::Together)?;
        let trace = match process.wait(&self.launch, self.patience(plan), deadline)? {
            Answer::Done => self.read(&mut process, plan)?,
            Answer::Died(status) => {
                killed = status.is_some_and(is_killed);
                died(&mut process, plan, status)
            }
            Answer::Hung if process.poke() => self.read(&mut process, plan)?,
            Answer::Hung => hung(&mut process, plan),
        };
        Ok((trace, process.finish(), killed))
    }

    /// Starts the program once to see which modules it loads, before the first plan.
    fn learn_modules(&mut self) -> Result<(), RunError> {
        let process = self.ready(Plan::default().limits.memory)?;
        let modules = crate::program::modules(process.id());
        let known = self.image.told_at_start();
        self.image.add_libraries(&modules);
        if self.image.told_at_start() != known {
            self.process = None; // it was told something else
        }
        self.symbols = Some(Symbols::new(modules));
        Ok(())
    }

    /// The process that runs plans, started if there is none, once its runtime has taken over.
    fn ready(&mut self, limit: u64) -> Result<&mut Process, RunError> {
        if self.process.is_none() {
            self.process = Some(self.started(self.mode, limit)?);
        }
        Ok(self.process.as_mut().expect("just made"))
    }

    /// A process whose runtime has taken over. One that is killed before that is started again.
    fn started(&self, mode: ResetMode, limit: u64) -> Result<Process, RunError> {
        let mut deaths = 0;
        loop {
            let mut process = self.process(mode, Output::Discard, limit)?;
            match await_start(&mut process, &self.launch) {
                Ok(()) => return Ok(process),
                Err(_) if deaths + 1 < KILLED && process.exited().is_some_and(is_killed) => deaths += 1,
                Err(error) => return Err(error),
            }
        }
    }

    fn process(&self, mode: ResetMode, output: Output, limit: u64) -> Result<Process, RunError> {
        Process::start(&self.launch, &self.image, Settings { mode, output, core: self.cores.home() }, limit)
    }

    fn patience(&self, plan: &Plan) -> Option<Duration> {
        plan.watchdog.then_some(self.launch.watchdog)
    }

    /// How to work on these plans.
    fn way(&mut self, plans: &[Plan]) -> Way {
        let known = plans.len() == 1 && plans[0].ahead.is_some();
        let way = if known && self.mode == ResetMode::InPlace && self.cores.away().is_some() {
            self.pace.next()
        } else {
            Way::Together
        };
        self.cores.go(if way == Way::Ahead { Place::Away } else { Place::Home });
        way
    }

    /// Runs as many of the plans as one process will, at least one.
    fn run_some(
        &mut self,
        plans: &[Plan],
        traces: &mut Vec<Trace>,
        meanwhile: &mut dyn FnMut(),
    ) -> Result<usize, RunError> {
        let plans = &plans[..plans.len().min(SLOTS - TURNS)];
        let patience = self.patience(&plans[0]);
        let limit = plans[0].limits.memory;
        self.ready(limit)?;
        let mut process = self.process.take().expect("just made");
        match process.ask(plans, self.way(plans)) {
            Err(RunError::TooLong(_)) if plans.len() > 1 => return self.run_some(&plans[..1], traces, meanwhile),
            Err(RunError::TooLong(text)) => {
                // Its record would not have fitted either.
                let (ending, thread) = (Ending::TraceFull, ThreadId::MAIN);
                let outcome = Outcome { ending, code: 0, thread, pc: 0, address: 0, message: text };
                traces.push(Trace::new(plans[0].id, outcome));
                self.process = Some(process);
                return Ok(1);
            }
            asked => asked?,
        }
        meanwhile();
        let answer = process.wait(&self.launch, patience, self.launch.deadline)?;
        let mut done = 0;
        for (slot, plan) in (process.first..).zip(plans) {
            let head = process.memory.head(slot);
            if head.id != plan.id.0 || head.ending == Ending::Running as u8 {
                break;
            }
            match process.memory.take(slot, self.spare.pop()) {
                Ok(trace) => traces.push(trace),
                Err(_) => break, // overwritten: run again below
            }
            done += 1;
            self.stats.ahead += u64::from(head.begun != 0);
            self.coverage = self.coverage.with(traces[traces.len() - 1].coverage);
        }
        (self.stats.reset_bytes, self.stats.tracking) = process.memory.reset_cost();
        if let Some(text) = process.failure() {
            return Err(RunError::Broken(format!("the runtime stopped: {text}")));
        }
        let whole = matches!(answer, Answer::Done) && done == plans.len();
        if self.coverage.has(Coverage::NEEDS_FORK) && self.mode == ResetMode::InPlace {
            self.mode = ResetMode::Fork;
            self.stats.forks = true;
        } else if whole {
            self.process = Some(process);
        }
        if done == 0 {
            // The first plan could not be run here: its fate is decided in a process of its own.
            let (trace, _) = self.confirm_until(&plans[0], self.launch.deadline)?;
            traces.push(trace);
            done = 1;
        }
        if self.process.is_none() {
            self.stats.restarts += 1;
        }
        Ok(done)
    }

    /// The trace of a run in a process of its own.
    fn read(&mut self, process: &mut Process, plan: &Plan) -> Result<Trace, RunError> {
        if let Some(text) = process.failure() {
            return Err(RunError::Broken(format!("the runtime stopped: {text}")));
        }
        match process.memory.take(process.first, None) {
            Ok(trace) if trace.id == plan.id => Ok(trace),
            _ => {
                Ok(broken(process, plan, Ending::Scribbled, "the program overwrote memory that is not its own".into()))
            }
        }
    }

    /// Repeats a run in a process that has run nothing before.
    fn compare(&mut self, plan: &Plan, trace: &Trace) -> Result<(), RunError> {
        if self.checker.is_none() {
            self.checker = Some(self.started(ResetMode::Fork, plan.limits.memory)?);
        }
        let mut process = self.checker.take().expect("just made");
        process.ask(std::slice::from_ref(plan), Way::Together)?;
        let answer = process.wait(&self.launch, self.patience(plan), self.launch.deadline)?;
        self.stats.repeated += 1;
        if !matches!(answer, Answer::Done) {
            return Ok(()); // died or hung: says nothing about the reset; `run` deals with such programs
        }
        let again = self.read(&mut process, plan)?;
        self.checker = Some(process);
        if again.hash != trace.hash {
            return Err(RunError::Nondeterministic(format!(
                "plan {} gave another trace in a new process ({:016x}, then {:016x}); please report this with the program",
                plan.id.0, trace.hash, again.hash
            )));
        }
        Ok(())
    }
}

impl Target for Native {
    fn run(&mut self, plans: &[Plan], traces: &mut Vec<Trace>) -> Result<(), RunError> {
        self.run_beside(plans, traces, &mut || {})
    }

    fn run_beside(
        &mut self,
        plans: &[Plan],
        traces: &mut Vec<Trace>,
        meanwhile: &mut dyn FnMut(),
    ) -> Result<(), RunError> {
        self.spare.append(traces);
        let mut meanwhile = Some(meanwhile);
        let mut done = 0;
        while done < plans.len() {
            done += self.run_some(&plans[done..], traces, &mut || {
                if let Some(meanwhile) = meanwhile.take() {
                    meanwhile();
                }
            })?;
        }
        self.stats.runs += plans.len() as u64;
        if self.mode == ResetMode::InPlace && self.stats.runs >= self.sample_after {
            self.sample_after = self.stats.runs + self.stats.runs.min(SPARSE);
            let last = plans.len() - 1;
            let trace = traces[last].clone();
            self.compare(&plans[last], &trace)?;
        }
        Ok(())
    }

    fn batch(&self) -> usize {
        BATCH
    }
}

fn is_killed(status: ExitStatus) -> bool {
    status.signal() == Some(libc::SIGKILL)
}

fn await_start(process: &mut Process, launch: &Launch) -> Result<(), RunError> {
    let begin = Instant::now();
    while !process.memory.has_started() {
        if let Some(status) = process.exited() {
            if let Some(why) = process.failure() {
                return Err(RunError::Start(why));
            }
            return Err(RunError::Start(format!(
                "it ended before main: {}. Is it dynamically linked against the C library here?",
                describe(Some(status))
            )));
        }
        if begin.elapsed() > launch.watchdog.max(Duration::from_secs(5)) {
            return Err(RunError::Start("it did not reach main in time".into()));
        }
        std::thread::sleep(Duration::from_micros(50));
    }
    if let Some(text) = process.failure() {
        return Err(RunError::Start(text));
    }
    Ok(())
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
            .map(|c| gabion_trace::Decision { choice: *c, values: [c.value].into_iter().collect(), free: false })
            .collect();
        trace
    });
    trace.outcome.message = message;
    trace
}
