//! A run in words: steps, waits and places.

mod choices;
mod made;
mod tried;
mod words;

use crate::Subject;
use crate::atomicity::Nearness;
use crate::blocks::Blocks;
use crate::conflicts::{left_behind, name_conflicts};
use crate::locals::Locals;
use gabion_trace::{
    Access, AccessKind, Address, Event, Frame, NamedStep, OpKind, Pending, Plan, Space, Step, ThreadId, Trace, readable,
};
use made::Made;
use std::collections::HashMap;
use words::verb;
pub(crate) use words::{access_verb, number};

/// Frames in our own library are nobody's business.
const RUNTIME: &str = "libgabion_rt.so";

/// Where libraries keep their atomics.
const ATOMICS: [&str; 4] = ["/atomic", "/atomic_base.h", "/stdatomic.h", "/atomic.rs"];

/// Bytes of the smallest part of memory that is contended.
const WORD: u64 = 8;

/// Names what is in a trace; remembers what it has looked up.
pub(crate) struct Namer<'a> {
    subject: &'a mut dyn Subject,
    frames: HashMap<u64, Vec<Frame>>,
    objects: HashMap<(Address, u64), String>,
    locals: Locals,
    blocks: Blocks,
}

impl<'a> Namer<'a> {
    /// For what no run has to do with.
    pub(crate) fn new(subject: &'a mut dyn Subject) -> Self {
        let (frames, objects) = (HashMap::new(), HashMap::new());
        Namer { subject, frames, objects, locals: Locals::default(), blocks: Blocks::default() }
    }

    /// For what is in a run.
    pub(crate) fn of(subject: &'a mut dyn Subject, trace: &Trace) -> Self {
        let locals = Locals::of(subject, trace);
        Namer { locals, blocks: Blocks::of(trace), ..Namer::new(subject) }
    }

    /// The names of all threads: what the program calls them, or their start functions; where a trace does not tell, the
    /// outermost function that the thread was seen in.
    pub(crate) fn threads(&mut self, trace: &Trace, steps: &[NamedStep]) -> Vec<String> {
        let outermost = |thread: usize| {
            let of_thread = || steps.iter().filter(|step| step.thread.index() == thread);
            let own = |frame: &&Frame| frame.file.is_some() && !frame.is_library();
            // That a lambda was called says nothing.
            let says = |name: &&String| *name != "operator()" && !name.contains("<lambda");
            let named = |step: &NamedStep| {
                let mut names = step.stack.iter().rev().filter(own).filter_map(|frame| frame.function.as_ref());
                names.find(says).cloned()
            };
            of_thread().find_map(named).or_else(|| of_thread().find_map(|step| step.stack.last()?.function.clone()))
        };
        let given =
            |thread: usize| trace.names.iter().find(|(id, _)| id.index() == thread).map(|(_, name)| name.clone());
        let mut started = |pc: u64| {
            let own = self.frames(pc).into_iter().find(|frame| !frame.is_library());
            own.and_then(|frame| frame.function).filter(|_| pc != 0)
        };
        // Code of a library that has no name: what the thread then called has one.
        let name = |(thread, start): (usize, u64)| match thread {
            0 => "main".to_string(),
            _ => given(thread)
                .or_else(|| started(start).or_else(|| outermost(thread)).map(|name| readable(&name)))
                .unwrap_or_default(),
        };
        trace.threads.iter().map(|info| info.start).enumerate().map(name).collect()
    }

    /// All steps in words.
    pub(crate) fn steps(&mut self, trace: &Trace) -> Vec<NamedStep> {
        let left = left_behind(trace);
        let mut steps: Vec<_> = (0..trace.steps.len()).map(|index| self.step(trace, index, &left)).collect();
        name_conflicts(self, trace, &mut steps);
        steps
    }

    /// A step in words.
    fn step(&mut self, trace: &Trace, index: usize, left: &HashMap<usize, u64>) -> NamedStep {
        let step = &trace.steps[index];
        let events = trace.events(step);
        let made = step.events.range().find_map(|event| match trace.events[event] {
            Event::Access { access, value } => {
                Some(Made { access, met: value, left: left.get(&event).copied(), event })
            }
            _ => None,
        });
        let pc = step.pending.map(|p| p.pc).or_else(|| events.iter().find_map(pc_of)).unwrap_or(0);
        let chosen = choices::choices(trace, index);
        let chooses = step.pending.is_some_and(|pending| pending.op == OpKind::Choose) && !chosen.is_empty();
        let begins = if chooses { String::new() } else { self.what(trace, index, made) };
        let choices = choices::words(&chosen, chooses);
        NamedStep {
            thread: step.thread,
            number: step.number,
            point: step.point,
            enabled: step.enabled.len(),
            what: format!("{begins}{choices}{}", self.unlocks(step, events)),
            stack: self.stack(pc, trace.stack(step)),
            accesses: Vec::new(),
            chosen,
        }
    }

    /// The global variables at the beginnings of a plan's contended memory. Several may share its first word.
    pub(crate) fn variables(&mut self, plan: &Plan) -> Vec<(u64, String, u64)> {
        let mut all: Vec<(u64, String, u64)> = Vec::new();
        for memory in &plan.contended {
            for at in memory.from..memory.to.min(memory.from.saturating_add(WORD)) {
                let Some((name, offset)) = self.subject.variable(at) else { continue };
                if all.last().is_none_or(|(from, last, _)| (*from, last) != (memory.from, &name)) {
                    all.push((memory.from, name, offset));
                }
            }
        }
        all
    }

    /// Frames of an instruction and the call sites above it (outermost first), innermost first.
    pub(crate) fn stack(&mut self, pc: u64, call_sites: &[u64]) -> Vec<Frame> {
        without_library(self.whole_stack(pc, call_sites))
    }

    /// The same, with what libraries are made of.
    pub(crate) fn whole_stack(&mut self, pc: u64, call_sites: &[u64]) -> Vec<Frame> {
        let inner = (pc != 0).then_some(pc);
        inner.iter().chain(call_sites.iter().rev()).flat_map(|pc| self.frames(*pc)).collect()
    }

    /// The global variable at an address, if there is one.
    pub(crate) fn variable(&mut self, address: Address) -> Option<String> {
        self.subject.variable(address.offset()).map(|(name, _)| name)
    }

    /// What the step did first. The operation it was about to do says it best; a thread that starts or goes on after a
    /// wait did nothing visible of its own, then its first event does.
    fn what(&mut self, trace: &Trace, index: usize, made: Option<Made>) -> String {
        let step = &trace.steps[index];
        let (events, first) = (trace.events(step), step.events.range().start);
        match step.pending {
            Some(p) if p.op == OpKind::Access => match made {
                Some(made) => self.access(&made),
                None => format!("access {}", self.object_at(p.object, first)),
            },
            Some(p) if matches!(p.op, OpKind::AtomicLoad | OpKind::AtomicStore | OpKind::AtomicUpdate) => {
                self.atomic(p, made, first)
            }
            // What is created, and who is woken, is known only afterwards.
            Some(p) if p.op != OpKind::Run => {
                let (op, outcome) = tried::tried(trace, index, p);
                self.operation_at(op, object_of(events, p.op).unwrap_or(p.object), first) + &outcome
            }
            _ => match events.first() {
                Some(Event::Access { access, value }) => {
                    self.access(&made.unwrap_or(Made { access: *access, met: *value, left: None, event: first }))
                }
                Some(Event::Op { op, object, .. }) => self.operation_at(*op, *object, first),
                Some(Event::Alloc { size, .. }) => format!("allocate {size} bytes"),
                Some(Event::Wake { .. }) | None if step.number == 0 => "start".to_string(),
                Some(Event::Wake { .. }) | None => "go on".to_string(),
            },
        }
    }

    /// What a thread is about to do, and where.
    pub(crate) fn next(&mut self, pending: &Pending) -> (String, Vec<Frame>) {
        (self.operation(pending.op, pending.object), self.stack(pending.pc, &[]))
    }

    /// Unlocks that follow within the step: without them a lock taken next by another thread would look impossible. Each
    /// once, and none of what was taken within the step as well, unless it is told to begin with that: a loop that was let go on
    /// alone has made hundreds.
    fn unlocks(&mut self, step: &Step, events: &[Event]) -> String {
        use OpKind::{MutexUnlock, ReadUnlock, SpinUnlock, WriteUnlock};
        let own = step.pending.map(|p| p.op);
        let mut text = String::new();
        let (mut told, mut taken) = (Vec::new(), Vec::new());
        for (at, event) in step.events.range().zip(events) {
            if let Event::Op { op: op @ (MutexUnlock | ReadUnlock | SpinUnlock | WriteUnlock), object, .. } = event
                && own != Some(*op)
                && own != Some(OpKind::CondWait)
                && !told.contains(&(*op, *object))
                && !taken.contains(object)
            {
                told.push((*op, *object));
                text.push_str(&format!("; {}", self.operation_at(*op, *object, at)));
            }
            if let Event::Op { op, object, result: 0, .. } = event
                && op.takes_lock()
                && own != Some(*op)
            {
                taken.push(*object);
            }
        }
        text
    }

    fn access(&mut self, made: &Made) -> String {
        let (access, name) = (&made.access, self.name_of(&made.access, made.event));
        let verb = access_verb(access.kind);
        match self.values(made) {
            _ if access.kind.has(AccessKind::FREE) => format!("{verb} {name}"),
            Some(values) => format!("{verb} {name} ({values})"),
            None => format!("{verb} {name} ({} bytes)", access.size),
        }
    }

    /// An atomic operation, with what it met and left. A compare-and-exchange that fails has only read.
    fn atomic(&mut self, pending: Pending, made: Option<Made>, first: usize) -> String {
        let words = self.operation_at(pending.op, pending.object, first);
        let Some(made) = made.filter(|made| made.access.address == pending.object) else { return words };
        let fails = pending.op == OpKind::AtomicUpdate && !made.access.kind.writes();
        let words = if fails { format!("{words} fails") } else { words };
        self.values(&made).map_or(words.clone(), |values| format!("{words} ({values})"))
    }

    /// An operation that somebody is about to do when the run ends.
    pub(crate) fn operation(&mut self, op: OpKind, object: Address) -> String {
        self.operation_at(op, object, usize::MAX)
    }

    fn operation_at(&mut self, op: OpKind, object: Address, event: usize) -> String {
        if op.mode().0 == 0 || matches!(op, OpKind::ThreadStart | OpKind::ThreadEnd | OpKind::Exit) {
            return verb(op).to_string();
        }
        format!("{} {}", verb(op), self.object_at(object, event)).trim_end().to_string()
    }

    /// `file:line` of an instruction.
    pub(crate) fn at(&mut self, pc: u64, sites: &[u64]) -> Option<String> {
        Frame::place(&self.stack(pc, sites)).and_then(location)
    }

    /// All functions that hold an instruction or a call site above it, of libraries too, innermost first.
    pub(crate) fn functions(&mut self, pc: u64, call_sites: &[u64]) -> Vec<String> {
        let all = [pc].into_iter().chain(call_sites.iter().rev().copied());
        all.flat_map(|pc| self.frames(pc)).filter_map(|frame| frame.function).collect()
    }

    /// Is an instruction a library's own, inlined nowhere into the program's code?
    pub(crate) fn is_library(&mut self, pc: u64) -> bool {
        self.frames(pc).iter().all(|frame| frame.file.is_none() || frame.is_library())
    }

    /// Is an atomic access one that the program itself wrote down, with its order?
    pub(crate) fn is_own_atomic(&mut self, pc: u64, sites: &[u64]) -> bool {
        let stack = [pc].iter().chain(sites.iter().rev()).flat_map(|pc| self.frames(*pc)).collect::<Vec<_>>();
        let maker = stack.iter().find(|frame| !is_atomics(frame));
        maker.is_some_and(|frame| frame.file.is_some() && !frame.is_library())
    }

    /// How near to the program's own code an access is made, by its stack.
    pub(crate) fn nearness(&mut self, access: &Access, sites: &[u64]) -> Nearness {
        let stack = [access.pc].iter().chain(sites.iter().rev()).flat_map(|pc| self.frames(*pc)).collect::<Vec<_>>();
        let known = || stack.iter().filter(|frame| frame.file.is_some());
        let innermost = known().find(|frame| !is_atomics(frame));
        let called = known().next().is_none() || known().any(|frame| !frame.is_library());
        match innermost {
            Some(frame) if !frame.is_library() => Nearness::Own,
            _ if called && self.subject.variable(access.address.offset()).is_some() => Nearness::Own,
            _ if called => Nearness::Called,
            _ => Nearness::Foreign,
        }
    }

    fn frames(&mut self, pc: u64) -> Vec<Frame> {
        let look_up = || self.subject.frames(pc).into_iter().filter(|f| !f.module.starts_with(RUNTIME)).collect();
        self.frames.entry(pc).or_insert_with(look_up).clone()
    }

    fn block(&mut self, address: Address, event: usize) -> Option<String> {
        let mut blocks = std::mem::take(&mut self.blocks);
        let name = blocks.name(address, event, |pc, sites| self.allocated_at(pc, sites));
        self.blocks = blocks;
        name
    }

    /// Where the block was allocated that is at an address when an event happens.
    pub(crate) fn allocation(&mut self, address: Address, event: usize) -> Vec<Frame> {
        let made = self.blocks.allocation(address, event).map(|(pc, sites)| (pc, sites.to_vec()));
        made.map_or_else(Vec::new, |(pc, sites)| self.stack(pc, &sites))
    }

    /// The frames of who allocated. Nothing of code without lines: which line called it, no call site says.
    fn allocated_at(&mut self, pc: u64, sites: &[u64]) -> Vec<Frame> {
        let known = self.frames(pc).iter().any(|frame| frame.line.is_some());
        if known { self.stack(pc, sites) } else { Vec::new() }
    }

    /// What is at an address when the run ends, or the address.
    pub(crate) fn name(&mut self, address: Address) -> String {
        self.name_at(address, usize::MAX)
    }

    /// What is at an address at an event of the run, or the address.
    pub(crate) fn name_at(&mut self, address: Address, event: usize) -> String {
        or_address(self.object_at(address, event), address)
    }

    /// What an access touches, or the address: of what is in a variable only what holds all of its bytes.
    pub(crate) fn name_of(&mut self, access: &Access, event: usize) -> String {
        or_address(self.bytes_at(access.address, access.size.into(), event), access.address)
    }

    pub(crate) fn object(&mut self, address: Address) -> String {
        self.object_at(address, usize::MAX)
    }

    pub(crate) fn object_at(&mut self, address: Address, event: usize) -> String {
        self.bytes_at(address, 1, event)
    }

    fn bytes_at(&mut self, address: Address, size: u64, event: usize) -> String {
        if address.space() == Some(Space::Thread) {
            return ThreadId(address.offset() as u16 & !Address::MEMBER).to_string();
        }
        if let Some(name) = self.locals.name(address, event) {
            return name.to_owned();
        }
        if let Some(name) = self.block(address, event) {
            return name;
        }
        self.in_any_run(address, size)
    }

    /// What is at an address whatever run it is: no local variable, no block.
    fn in_any_run(&mut self, address: Address, size: u64) -> String {
        self.objects.entry((address, size)).or_insert_with(|| self.subject.object(address, size)).clone()
    }
}

fn or_address(name: String, address: Address) -> String {
    if name.is_empty() { format!("address {:#x}", address.offset()) } else { name }
}

/// A thread with the name of its start function.
pub(crate) fn who(id: ThreadId, threads: &[String]) -> String {
    match threads.get(id.index()) {
        Some(name) if !name.is_empty() => format!("{id} ({name})"),
        _ => id.to_string(),
    }
}

/// Is it where a library keeps its atomics? An atomic is its library's all over.
fn is_atomics(frame: &Frame) -> bool {
    let named = |file: &str| ATOMICS.iter().any(|name| file.ends_with(name));
    frame.is_library() && frame.file.as_deref().is_some_and(named)
}

/// The program's own frames, unless there are none: what a library is made of explains nothing.
fn without_library(mut stack: Vec<Frame>) -> Vec<Frame> {
    if stack.iter().any(|frame| frame.file.is_some() && !frame.is_library()) {
        stack.retain(|frame| !frame.is_library());
    }
    stack
}

/// `file:line`, or the module where there is none.
pub(crate) fn location(frame: &Frame) -> Option<String> {
    match (&frame.file, frame.line) {
        (Some(file), Some(line)) => Some(format!("{file}:{line}")),
        _ => Some(frame.module.clone()).filter(|m| !m.is_empty()),
    }
}

/// The object of the first such operation in the step.
fn object_of(events: &[Event], wanted: OpKind) -> Option<Address> {
    events.iter().find_map(|event| match event {
        Event::Op { op, object, .. } if *op == wanted => Some(*object),
        _ => None,
    })
}

fn pc_of(event: &Event) -> Option<u64> {
    let pc = match event {
        Event::Access { access, .. } => access.pc,
        Event::Op { pc, .. } | Event::Alloc { pc, .. } => *pc,
        Event::Wake { .. } => 0,
    };
    (pc != 0).then_some(pc)
}
