//! What a function's registers and stack slots hold, as far as reading its text from top to bottom can tell.
//!
//! The stack pointer is followed through pushes and subtractions, so that `-20(%rbp)` and `12(%rsp)` mean places in one
//! frame, counted from the return address. Control flow is not followed; where that matters, the user of a [`Frame`]
//! calls [`Frame::forget`] at labels.

use std::collections::{HashMap, HashSet};

use super::assembly::{CALLER_SAVED, Instruction, Memory, Operand, RBP, RDI, RSI, RSP, Register};

/// What is known of a 64-bit value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Value {
    /// An address in this function's frame, and where if known.
    Stack(Option<i64>),
    /// The address of something named.
    Symbol,
    /// What a register held when the function was entered.
    Entry(Register),
    Number(i64),
    /// Came out of memory.
    Loaded,
    Unknown,
}

/// Registers and stack slots at one place of a function.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    registers: [Value; 16],
    slots: HashMap<i64, Value>,
    /// Stack and frame pointer at the targets of jumps seen so far.
    at_target: HashMap<String, (Value, Value)>,
    /// Those two when last in the body: code after a return goes on from there.
    body: (Value, Value),
    after_jump: bool,
    /// Places of the frame whose address was taken.
    pub(super) taken: Vec<i64>,
    /// Slots that such an address was stored in.
    pub(super) spilled: HashSet<i64>,
}

impl Frame {
    /// At the first instruction of a function.
    pub(super) fn new() -> Frame {
        let mut registers = [Value::Unknown; 16];
        for (number, value) in registers.iter_mut().enumerate() {
            *value = Value::Entry(Register(number as u8));
        }
        registers[usize::from(RSP.0)] = Value::Stack(Some(0));
        let body = (registers[usize::from(RSP.0)], registers[usize::from(RBP.0)]);
        Frame {
            registers,
            slots: HashMap::new(),
            at_target: HashMap::new(),
            body,
            after_jump: false,
            taken: Vec::new(),
            spilled: HashSet::new(),
        }
    }

    pub(super) fn value(&self, register: Register) -> Value {
        self.registers[usize::from(register.0)]
    }

    fn set(&mut self, register: Register, value: Value) {
        self.registers[usize::from(register.0)] = value;
    }

    /// Control may arrive here from elsewhere.
    pub(super) fn label(&mut self, name: &str) {
        if self.after_jump {
            let (stack, frame) = self.at_target.get(name).copied().unwrap_or(self.body);
            self.set(RSP, stack);
            self.set(RBP, frame);
            self.after_jump = false;
        }
    }

    /// Drops all but where the frame is.
    pub(super) fn forget(&mut self) {
        for (number, value) in self.registers.iter_mut().enumerate() {
            let pointer = [RSP, RBP].contains(&Register(number as u8)) && matches!(value, Value::Stack(_));
            if !pointer {
                *value = Value::Unknown;
            }
        }
        self.slots.clear();
    }

    /// Where a memory operand points.
    pub(super) fn address(&self, memory: &Memory) -> Value {
        if memory.segment.is_some() {
            return Value::Unknown;
        }
        let base = memory.base.map(|register| self.value(register));
        match (base, memory.index, memory.symbol) {
            (Some(Value::Stack(Some(at))), None, None) => Value::Stack(Some(at + memory.displacement)),
            (Some(Value::Stack(_)), ..) => Value::Stack(None),
            (Some(value), None, None) => value,
            // `(%rdx,%rax)` with the address in %rax: the other one is an offset.
            (_, Some(index), None) if matches!(self.value(index), Value::Stack(_)) => Value::Stack(None),
            (Some(Value::Entry(register)), ..) => Value::Entry(register),
            (_, _, Some(_)) => Value::Symbol,
            _ => Value::Unknown,
        }
    }

    /// Follows one instruction.
    pub(super) fn step(&mut self, instruction: &Instruction) {
        if instruction.is_call() {
            CALLER_SAVED.into_iter().for_each(|register| self.set(register, Value::Unknown));
            return;
        }
        if instruction.is_jump() {
            self.jump(instruction);
            return;
        }
        let name = stem(instruction.mnemonic);
        match (name, instruction.operands.as_slice()) {
            ("push", pushed) => {
                self.adjust(-8);
                // Callee-saved registers are pushed by prologues; other pushes pass arguments and do not last.
                if let [Operand::Register(register)] = pushed
                    && !CALLER_SAVED.contains(register)
                {
                    self.body = (self.value(RSP), self.value(RBP));
                }
            }
            ("pop", [Operand::Register(register)]) => {
                self.set(*register, Value::Unknown);
                self.adjust(8);
            }
            ("leave", _) => {
                let frame = self.value(RBP);
                self.set(RSP, frame);
                self.adjust(8);
                self.set(RBP, Value::Unknown);
            }
            ("mov" | "movabs", [from, to]) => self.assign(from, to),
            ("lea", [Operand::Memory(memory), Operand::Register(to)]) => {
                let value = self.lea(memory);
                self.set(*to, value);
            }
            ("add" | "sub", [from, Operand::Register(to)]) => self.add(name, from, *to),
            // Alignment of an address, of the stack pointer above all.
            ("and", [_, Operand::Register(to)]) => match self.value(*to) {
                Value::Stack(_) => self.set(*to, Value::Stack(None)),
                _ => self.set(*to, Value::Unknown),
            },
            ("cmp" | "test" | "bt" | "nop" | "endbr64", _) => {}
            _ => self.clobber(instruction),
        }
        let prologue = match (name, instruction.operands.as_slice()) {
            ("sub", [_, Operand::Register(to)]) => *to == RSP,
            ("mov", [Operand::Register(from), Operand::Register(to)]) => (*from, *to) == (RSP, RBP),
            _ => false,
        };
        if prologue {
            self.body = (self.value(RSP), self.value(RBP));
        }
    }

    fn jump(&mut self, instruction: &Instruction) {
        if let Some(target) = instruction.target() {
            self.at_target.insert(target.to_owned(), (self.value(RSP), self.value(RBP)));
        }
        self.after_jump = instruction.is_return() || instruction.mnemonic.starts_with("jmp");
    }

    fn adjust(&mut self, by: i64) {
        if let Value::Stack(Some(at)) = self.value(RSP) {
            self.set(RSP, Value::Stack(Some(at + by)));
        }
    }

    fn assign(&mut self, from: &Operand, to: &Operand) {
        let value = match from {
            Operand::Register(register) => self.value(*register),
            Operand::Number(number) => Value::Number(*number),
            Operand::Memory(memory) => match self.address(memory) {
                Value::Stack(Some(at)) => match self.slots.get(&at) {
                    Some(value) => *value,
                    None if self.spilled.contains(&at) => Value::Unknown,
                    None => Value::Loaded,
                },
                _ => Value::Loaded,
            },
            Operand::Other(_) => Value::Unknown,
        };
        match to {
            Operand::Register(register) => {
                // The frame's lowest place is taken by a plain move; that to %rbp only sets up the frame.
                if let (Operand::Register(RSP), Value::Stack(Some(at)), true) = (from, value, *register != RBP) {
                    self.taken.push(at);
                }
                self.set(*register, value);
            }
            Operand::Memory(memory) => {
                if let Value::Stack(Some(at)) = self.address(memory) {
                    self.slots.insert(at, value);
                    if let Value::Stack(_) = value {
                        self.spilled.insert(at);
                    }
                }
            }
            _ => {}
        }
    }

    fn lea(&mut self, memory: &Memory) -> Value {
        if memory.symbol.is_some() {
            return Value::Symbol;
        }
        let value = self.address(memory);
        if let Value::Stack(Some(at)) = value {
            self.taken.push(at);
        }
        match value {
            Value::Number(_) => Value::Unknown,
            value => value,
        }
    }

    fn add(&mut self, name: &str, from: &Operand, to: Register) {
        let value = match (self.value(to), from) {
            (Value::Stack(Some(at)), Operand::Number(by)) => {
                Value::Stack(Some(if name == "add" { at + by } else { at - by }))
            }
            (Value::Stack(_), _) => Value::Stack(None),
            (value @ (Value::Entry(_) | Value::Symbol | Value::Loaded), Operand::Number(_)) => value,
            (_, Operand::Register(other)) if name == "add" => match self.value(*other) {
                Value::Stack(_) => Value::Stack(None),
                _ => Value::Unknown,
            },
            _ => Value::Unknown,
        };
        self.set(to, value);
    }

    fn clobber(&mut self, instruction: &Instruction) {
        if instruction.is_string() {
            // They move the pointers, within whatever these point into.
            for register in [RSI, RDI] {
                if let Value::Stack(_) = self.value(register) {
                    self.set(register, Value::Stack(None));
                }
            }
            return;
        }
        // Exchanges and the like write more than their last operand.
        let all = ["xchg", "xadd", "cmpxchg", "mul", "imul", "div", "idiv", "cpuid", "rdtsc", "xgetbv", "cqto", "cltd"]
            .iter()
            .any(|name| instruction.mnemonic.starts_with(name));
        if all {
            [0, 1, 2].into_iter().for_each(|number| self.set(Register(number), Value::Unknown));
        }
        let keep = if all { 0 } else { instruction.operands.len().saturating_sub(1) };
        for operand in &instruction.operands[keep..] {
            if let Operand::Register(register) = operand {
                self.set(*register, Value::Unknown);
            }
        }
    }
}

/// The mnemonic without the letter that says how wide the operands are.
fn stem(mnemonic: &str) -> &str {
    match mnemonic {
        "sub" => mnemonic,
        _ => mnemonic.strip_suffix(['q', 'l', 'w', 'b']).unwrap_or(mnemonic),
    }
}
