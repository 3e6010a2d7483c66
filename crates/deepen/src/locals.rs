//! Names of local variables that threads share.
//!
//! A place on a stack is one variable now and another later, so names are by event. One that has no certain name is told as a
//! place on its stack.

use crate::Subject;
use gabion_native::Local;
use gabion_trace::places::{STACK_SPAN, STACKS};
use gabion_trace::{Address, Event, OnStack, Space, ThreadId, Trace, readable};
use std::collections::{HashMap, HashSet};

/// The local variables of a run that were touched where stacks were recorded: by address, each with its event, and
/// its name, if it has one.
#[derive(Default)]
pub(crate) struct Locals(HashMap<u64, Vec<(usize, Option<String>)>>);

/// What a name is made of: the thread, the function as it is told, the variable.
type Told<'a> = (ThreadId, String, &'a str);

impl Locals {
    pub(crate) fn of(subject: &mut dyn Subject, trace: &Trace) -> Self {
        let mut known: HashMap<(u32, u64, u64), Option<Local>> = HashMap::new();
        let mut find = |touched: &OnStack| {
            let standing = touched.standing?;
            let on = trace.standing.get(standing as usize)?;
            let size = size(trace, touched);
            let found = known.entry((standing, touched.address, size));
            Some((on.thread, found.or_insert_with(|| subject.local(on, touched.address, size)).clone()?))
        };
        let found: Vec<(&OnStack, Option<(ThreadId, Local)>)> =
            trace.on_stacks.iter().map(|touched| (touched, find(touched))).collect();
        // Calls of a function within itself, and from here and there, have each their own.
        let mut places: HashMap<Told<'_>, HashSet<(u64, &str)>> = HashMap::new();
        for (thread, local) in found.iter().filter_map(|(_, local)| local.as_ref()) {
            let same = places.entry((*thread, short(&local.function), &local.name)).or_default();
            same.insert((local.address, &local.function));
        }
        let is_only = |thread, local: &Local| places[&(thread, short(&local.function), local.name.as_str())].len() == 1;
        let mut names: HashMap<u64, Vec<(usize, Option<String>)>> = HashMap::new();
        for (touched, local) in &found {
            let name = local.as_ref().map(|(thread, local)| named(*thread, local, is_only(*thread, local)));
            names.entry(touched.address).or_default().push((touched.event as usize, name));
        }
        Locals(names)
    }

    /// The variable at an address when an event has come, if there was one by then.
    pub(crate) fn name(&self, address: Address, event: usize) -> Option<&str> {
        let all = self.0.get(&address.offset())?;
        if !matches!(address.space(), Some(Space::Memory | Space::Object)) {
            return None;
        }
        let (_, name) = all.iter().rev().find(|(touched, _)| *touched <= event)?;
        name.as_deref()
    }
}

/// How many bytes are touched; 1 where nobody says.
fn size(trace: &Trace, touched: &OnStack) -> u64 {
    match trace.events.get(touched.event as usize) {
        Some(Event::Access { access, .. }) if access.address.offset() == touched.address => access.size.into(),
        _ => 1,
    }
}

/// `counter in main`, `pair.sum in work of T1`; with its place where there are others of that name.
fn named(thread: ThreadId, local: &Local, is_only: bool) -> String {
    let below = STACK_SPAN - (local.address - STACKS) % STACK_SPAN;
    let whose = match (thread, is_only) {
        (ThreadId(0), true) => String::new(),
        (thread, true) => format!(" of {thread}"),
        (thread, false) => format!(" of {thread}-{below:#x}"),
    };
    format!("{}{} in {}{whose}", local.name, local.within, short(&local.function))
}

/// A function without what it is in, and without the types of its parameters.
fn short(function: &str) -> String {
    let readable = readable(function);
    if readable != function {
        return readable; // a lambda
    }
    let function = without_parameters(&readable);
    // What closures, operators and instances are part of belongs to them.
    let begins =
        |rest: &str| rest.starts_with(|c: char| c.is_alphabetic() || c == '_') && !rest.starts_with("operator");
    let (mut open, mut own) = (0, 0);
    for (at, c) in function.char_indices() {
        match c {
            '<' | '(' | '{' => open += 1,
            '>' | ')' | '}' => open -= 1,
            ':' if open == 0 && begins(&function[at + 1..]) => own = at + 1,
            _ => {}
        }
    }
    function[own..].to_owned()
}

/// A function without the types of its parameters, if they are told.
fn without_parameters(function: &str) -> &str {
    let mut open = 0;
    for (at, c) in function.char_indices().rev().take_while(|_| function.ends_with(')')) {
        match c {
            ')' => open += 1,
            '(' => open -= 1,
            _ => {}
        }
        if open == 0 {
            let before = &function[..at];
            return if before.is_empty() || before.ends_with("operator") { function } else { before };
        }
    }
    function
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_left_out() {
        let check = |name: &str, short: &str| assert_eq!(without_parameters(name), short);
        check("main", "main");
        check("queue::push(int)", "queue::push");
        check("run(std::function<void (int)>)", "run");
        check("(anonymous namespace)::run(void (*)(int))", "(anonymous namespace)::run");
        check("work::operator()", "work::operator()");
        check("work::operator()()", "work::operator()");
        check("lambda 1 in main", "lambda 1 in main");
    }

    #[test]
    fn functions_are_told_by_their_own_names() {
        let check = |name: &str, own: &str| assert_eq!(short(name), own);
        check("main", "main");
        check("counting::tests::counts", "counts");
        check("counting::tests::counts::{closure#0}::{closure#1}", "counts::{closure#0}::{closure#1}");
        check("<a::Queue as b::Push>::push::<c::Item>", "push::<c::Item>");
        check("(anonymous namespace)::run(std::thread&)", "run");
        check("queue<std::pair<int, a::b>>::push(int)", "push");
        check("a::work::operator()()", "work::operator()");
        check("a::main()::{lambda()#1}::operator()() const", "lambda 1 in a::main");
    }

    #[test]
    fn names_say_whose_and_which() {
        let address = STACKS + STACK_SPAN - 64;
        let local = |function: &str, within: &str| Local {
            name: "n".into(),
            function: function.into(),
            address,
            within: within.into(),
        };
        assert_eq!(named(ThreadId(0), &local("main", ""), true), "n in main");
        assert_eq!(named(ThreadId(0), &local("main", ".sum"), true), "n.sum in main");
        assert_eq!(named(ThreadId(2), &local("work(int)", ""), true), "n in work of T2");
        assert_eq!(named(ThreadId(0), &local("f", "+4"), false), "n+4 in f of T0-0x40");
    }
}
