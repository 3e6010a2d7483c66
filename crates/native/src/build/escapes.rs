//! Which addresses of its own frame a function lets out of its sight, and where.
//!
//! An address leaves as an argument of a call, by being stored anywhere, or into a register that is not followed. Hooks
//! that only announce keep nothing. Where an address cannot be followed (a conditional move, a vector register, ways
//! that meet with something else in the register) it counts as gone too, so what is not said to have left has not.
//!
//! Deliberately missed: the frame of a function that returns its own address.

use super::assembly::{Instruction, Operand, RDI, RSI, RSP, Register};
use super::flow::Flow;
use super::frameworks;
use super::graph::Graph;
use super::state::{Context, State};
use super::values::{Nature, Sum};

const RDX: Register = Register(2);
/// Where calls find their arguments, that of a nested function included.
const ARGUMENTS: [Register; 7] = [RDI, RSI, RDX, Register(1), Register(8), Register(9), Register(10)];

/// Functions that keep nothing of what they are given, and give back nothing but their first argument.
pub(super) const FORGETFUL: [&str; 5] = ["memset", "memcpy", "memmove", "memcmp", "bcmp"];

/// Addresses of the frame that others may know.
#[derive(Debug, Default)]
pub(super) struct Escapes {
    /// Something is not understood: all of them.
    pub(super) unknown: bool,
    /// At the start of each block.
    entering: Vec<Vec<Sum>>,
    /// By step.
    leaving: Vec<(usize, Sum)>,
    /// Where each block starts.
    starts: Vec<usize>,
}

impl Escapes {
    pub(super) fn of<'t>(graph: &Graph<'t>, flow: &Flow, context: &mut Context<'_, 't>) -> Escapes {
        let mut escapes = Escapes {
            entering: vec![Vec::new(); graph.blocks.len()],
            starts: graph.blocks.iter().map(|block| block.start).collect(),
            unknown: graph.steps.iter().any(|step| step.inline && !step.instruction.operands.is_empty()),
            ..Escapes::default()
        };
        for (number, block) in graph.blocks.iter().enumerate() {
            let Some((before, _)) = &flow.states[number] else { continue };
            escapes.unknown |= number != 0 && block.before.is_empty() && !block.dead;
            for way in &block.before {
                let Some((_, after)) = &flow.states[*way] else { continue };
                escapes.entering[number].extend(lost(after, before, context));
            }
            let mut state = before.clone();
            for step in block.start..block.end {
                let instruction = &graph.steps[step].instruction;
                let before = state.clone();
                state.follow(step, instruction, context);
                escapes.leaving.extend(leaving(instruction, &before, &state, context).into_iter().map(|at| (step, at)));
            }
        }
        escapes.leaving.sort_unstable_by_key(|(step, _)| *step);
        escapes.spread(graph);
        escapes
    }

    /// What has left on any way to a block has left in it.
    fn spread(&mut self, graph: &Graph) {
        loop {
            let mut news = false;
            for (number, block) in graph.blocks.iter().enumerate() {
                let after: Vec<Sum> = self.in_block(number, block.end).collect();
                for next in &block.after {
                    for address in &after {
                        if !self.entering[*next].contains(address) {
                            self.entering[*next].push(*address);
                            news = true;
                        }
                    }
                }
            }
            if !news {
                return;
            }
        }
    }

    fn in_block(&self, block: usize, end: usize) -> impl Iterator<Item = Sum> {
        let start = self.starts[block];
        let from = self.leaving.partition_point(|(step, _)| *step < start);
        let to = self.leaving.partition_point(|(step, _)| *step < end);
        self.entering[block].iter().copied().chain(self.leaving[from..to].iter().map(|(_, address)| *address))
    }

    /// What may have left before a step.
    pub(super) fn before(&self, step: usize) -> impl Iterator<Item = Sum> {
        let block = self.starts.partition_point(|start| *start <= step) - 1;
        self.in_block(block, step)
    }

    /// Does anything ever leave?
    pub(super) fn any(&self) -> bool {
        self.unknown || !self.leaving.is_empty() || self.entering.iter().any(|entering| !entering.is_empty())
    }
}

fn private(state: &State, register: Register, context: &Context) -> Option<Sum> {
    let value = state.value(register);
    (context.values.nature(&value) == Nature::Private).then_some(value)
}

/// Addresses that a block no longer knows for such.
fn lost(after: &State, before: &State, context: &Context) -> Vec<Sum> {
    let registers = (0..16).map(Register).filter(|register| *register != RSP);
    registers
        .filter(|register| private(before, *register, context).is_none())
        .filter_map(|register| private(after, register, context))
        .collect()
}

fn leaving(instruction: &Instruction, before: &State, after: &State, context: &Context) -> Vec<Sum> {
    let given = |registers: &[Register]| registers.iter().filter_map(|r| private(before, *r, context)).collect();
    let leaves = instruction.mnemonic.starts_with("jmp") && !instruction.target().is_some_and(|to| to.starts_with('.'));
    if instruction.is_call() || leaves {
        return match instruction.target() {
            // Given the address of what it expects, which it does not keep.
            Some(name) if name.starts_with("__tsan_atomic") && name.contains("compare") => given(&[RDX]),
            Some(name) if name.starts_with("__tsan_atomic") => given(&[RSI, RDX]),
            Some(name) if name.starts_with("__tsan_") => Vec::new(),
            Some(name) if FORGETFUL.contains(&name) => Vec::new(),
            // Trusted to show it to no other thread (decision 0015).
            Some(name) if frameworks::of_symbol(name).is_some() => Vec::new(),
            _ => given(&ARGUMENTS),
        };
    }
    let is = |names: &[&str]| names.iter().any(|name| instruction.mnemonic.starts_with(name));
    if instruction.is_jump() || instruction.is_string() || is(&["cmp", "test"]) && !is(&["cmpxchg"]) {
        return Vec::new();
    }
    let Some((to, from)) = instruction.operands.split_last() else { return Vec::new() };
    if matches!((from, to), ([Operand::Register(a)], Operand::Register(b)) if a == b && is(&["xor", "sub"])) {
        return Vec::new();
    }
    let overwrites = is(&["mov", "lea", "pop", "set"]);
    let mut used: Vec<Register> = Vec::new();
    for operand in from.iter().chain((!overwrites).then_some(to)) {
        match operand {
            Operand::Register(register) => used.push(*register),
            Operand::Memory(memory) if is(&["lea"]) => used.extend(memory.base.into_iter().chain(memory.index)),
            _ => {}
        }
    }
    let kept = match to {
        Operand::Register(_) if is(&["push"]) => false,
        Operand::Register(to) => private(after, *to, context).is_some(),
        _ => false,
    };
    if kept { Vec::new() } else { given(&used) }
}
