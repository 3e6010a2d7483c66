//! What one instruction makes of registers and stack slots.
//!
//! Additions, shifts and the like of whole registers stay sums; other arithmetic gives a value named by what it was
//! computed from; what depends on flags or on memory that others know is named by the instruction. Vector registers
//! are not followed.

use super::access::{self, accesses};
use super::assembly::{CALLER_SAVED, Instruction, Memory, Operand, RAX, RBP, RDI, RSI, RSP, Register};
use super::escapes::FORGETFUL;
use super::state::{Context, LOADED, OPERAND, PIECES, RESULT, Slot, State};
use super::values::{Nature, Origin, Sum};

const WORD: i64 = 8;
const RCX: Register = Register(1);
const RDX: Register = Register(2);

impl State {
    /// Follows one instruction, the function's `step`-th.
    pub(super) fn follow<'t>(&mut self, step: usize, instruction: &Instruction<'t>, context: &mut Context<'_, 't>) {
        if instruction.is_call() {
            self.call(step, instruction, context);
            return;
        }
        if instruction.is_jump() || instruction.is_string() {
            if instruction.is_string() {
                self.string(step, instruction, context);
            }
            return;
        }
        let name = stem(instruction.mnemonic);
        match (name, instruction.operands.as_slice()) {
            ("push", [from]) => {
                let value = self.read(step, from, WORD, context);
                self.set(RSP, self.value(RSP).moved(-WORD));
                self.write(step, self.value(RSP), WORD, value, context);
            }
            ("pop", [to]) => {
                let memory = Memory { base: Some(RSP), scale: 1, ..Memory::default() };
                let value = self.load(step, &memory, WORD, context);
                self.set(RSP, self.value(RSP).moved(WORD));
                self.assign(step, to, WORD, value, context);
            }
            ("leave", _) => {
                self.set(RSP, self.value(RBP));
                let memory = Memory { base: Some(RSP), scale: 1, ..Memory::default() };
                let value = self.load(step, &memory, WORD, context);
                self.set(RSP, self.value(RSP).moved(WORD));
                self.set(RBP, value);
            }
            ("cltq" | "clt" | "cdqe", []) => {
                let value = self.extend("sext4", self.value(RAX), context);
                self.set(RAX, value);
            }
            ("xchg", [Operand::Register(a), Operand::Register(b)]) => {
                let (one, other) = (self.value(*a), self.value(*b));
                self.set(*a, other);
                self.set(*b, one);
            }
            (_, [.., to]) if access::writes_last(instruction) => {
                let size = match to {
                    Operand::Register(_) => instruction.width.unwrap_or(WORD),
                    _ => accesses(instruction).last().map_or(WORD, |(_, _, size)| size),
                };
                let value = self.result(step, name, instruction, size, context);
                self.assign(step, to, size, value, context);
                self.others(step, instruction, context);
            }
            _ => self.others(step, instruction, context),
        }
    }

    /// What the instruction puts into its last operand.
    fn result<'t>(
        &mut self,
        step: usize,
        name: &'t str,
        instruction: &Instruction<'t>,
        size: i64,
        context: &mut Context<'_, 't>,
    ) -> Sum {
        let made = Origin::Made(step, RESULT);
        let whole = size == WORD;
        match (name, instruction.operands.as_slice()) {
            ("lea", [Operand::Memory(memory), _]) => {
                let sum = self.address(memory, context);
                if let Some(id) = sum.single().filter(|_| context.values.nature(&sum) == Nature::Private) {
                    context.escaped.insert((id, sum.offset));
                }
                if whole { sum } else { self.extend("zext4", sum, context) }
            }
            ("mov" | "movabs", [from, to]) => {
                let value = self.read(step, from, size, context);
                match to {
                    Operand::Register(_) if size < 4 => context.values.shared(made),
                    Operand::Register(_) if !whole => self.extend("zext4", value, context),
                    _ => value,
                }
            }
            ("movsl" | "movsxd" | "movsx", [from, Operand::Register(_)])
                if whole && (name == "movsl" || !matches!(from, Operand::Memory(Memory { size: Some(1 | 2), .. }))) =>
            {
                let value = self.read(step, from, 4, context);
                self.extend("sext4", value, context)
            }
            ("add" | "sub", [from, to]) if whole => {
                let (a, b) = (self.read(step, to, size, context), self.read(step, from, size, context));
                let b = if name == "sub" { context.values.scale(b, -1) } else { b };
                context.values.add(a, b)
            }
            ("inc" | "dec", [to]) if whole => {
                self.read(step, to, size, context).moved(if name == "inc" { 1 } else { -1 })
            }
            ("shl" | "sal", [Operand::Number(by), to]) if whole && (0..31).contains(by) => {
                let value = self.read(step, to, size, context);
                context.values.scale(value, 1 << by)
            }
            ("imul", [Operand::Number(by), from, _]) if whole => {
                let value = self.read(step, from, size, context);
                context.values.scale(value, *by)
            }
            ("neg", [to]) if whole => {
                let value = self.read(step, to, size, context);
                context.values.scale(value, -1)
            }
            ("xor" | "sub", [Operand::Register(a), Operand::Register(b)]) if a == b && size >= 4 => Sum::default(),
            (_, operands) if is_pure(name) && operands.len() <= 2 => {
                let first = operands.first().map_or_else(Sum::default, |from| self.read(step, from, size, context));
                let last = operands.last().map_or_else(Sum::default, |to| self.read(step, to, size, context));
                let nature = match context.values.nature(&last) {
                    Nature::Private if ["and", "shr", "shl", "sal", "or"].contains(&name) => Nature::Private,
                    _ => Nature::Shared,
                };
                context.values.name(Origin::Computed(instruction.mnemonic, [first, last]), nature)
            }
            _ => context.values.shared(made),
        }
    }

    /// A value cut to 32 bits and made longer again.
    fn extend(&self, how: &'static str, value: Sum, context: &mut Context) -> Sum {
        let value = match value.single().filter(|_| value.offset == 0).map(|id| context.values.origin(id)) {
            Some(Origin::Computed("zext4" | "sext4", [inner, _])) => inner,
            _ => value,
        };
        let named = value.single().is_some_and(|id| matches!(context.values.origin(id), Origin::Symbol(_)));
        match (value.as_number(), how) {
            _ if named => value, // `movl $x, %edi`: the linker has put it within reach
            (Some(number), "zext4") => Sum::number(number & 0xffff_ffff),
            (Some(number), _) => Sum::number(i64::from(number as i32)),
            (None, _) => context.values.shared(Origin::Computed(how, [value, Sum::default()])),
        }
    }

    /// What instructions change besides their last operand.
    fn others(&mut self, step: usize, instruction: &Instruction, context: &mut Context) {
        let is = |names: &[&str]| names.iter().any(|name| instruction.mnemonic.starts_with(name));
        let changed: &[Register] = match instruction.operands.as_slice() {
            [_] if is(&["mul", "imul", "div", "idiv"]) => &[RAX, RDX],
            _ if is(&["cqto", "cltd", "cqo", "cdq", "rdtsc", "cwtd", "cwtl", "cwde", "cbtw", "xgetbv"]) => &[RAX, RDX],
            _ if is(&["cpuid", "rdtscp", "syscall"]) => &[RAX, RCX, RDX, Register(3), Register(11)],
            _ if is(&["cmpxchg"]) => &[RAX, RDX],
            [Operand::Register(from), _] if is(&["xchg", "xadd"]) => std::slice::from_ref(from),
            _ => &[],
        };
        for register in changed {
            self.set(*register, context.values.shared(Origin::Made(step, register.0)));
        }
    }

    fn call<'t>(&mut self, step: usize, instruction: &Instruction<'t>, context: &mut Context<'_, 't>) {
        let name = instruction.target().unwrap_or("");
        let argument = self.value(RDI);
        if !name.starts_with("__tsan_") {
            self.forget_escaped(step, context);
        }
        for register in CALLER_SAVED {
            self.set(register, context.values.shared(Origin::Made(step, register.0)));
        }
        if name.starts_with("mem") && FORGETFUL.contains(&name) && name != "memcmp" {
            self.set(RAX, argument);
        }
        if name == "__tls_get_addr" {
            let place = context.values.shared(Origin::Computed("tls", [argument, Sum::default()]));
            self.set(RAX, place);
        }
    }

    /// Bytes that `rep movs` and its like touch, if known.
    pub(super) fn string_size(&self, instruction: &Instruction) -> Option<i64> {
        let count = if is_repeated(instruction) { self.value(RCX).as_number()? } else { 1 };
        count.checked_mul(element(instruction))
    }

    /// `rep movs` and its like leave the pointers behind what they touched.
    fn string(&mut self, step: usize, instruction: &Instruction, context: &mut Context) {
        let repeated = is_repeated(instruction);
        let count = if repeated { self.value(RCX) } else { Sum::number(1) };
        let moved = context.values.scale(count, element(instruction));
        let used: &[Register] = if instruction.mnemonic.starts_with("movs") || instruction.mnemonic.starts_with("cmps")
        {
            &[RDI, RSI]
        } else if instruction.mnemonic.starts_with("lods") {
            &[RSI]
        } else {
            &[RDI]
        };
        for register in used {
            let value = context.values.add(self.value(*register), moved);
            self.set(*register, value);
        }
        if repeated {
            self.set(RCX, Sum::default());
        }
        self.forget_escaped(step, context);
    }

    fn read<'t>(&mut self, step: usize, from: &Operand<'t>, size: i64, context: &mut Context<'_, 't>) -> Sum {
        match from {
            Operand::Register(register) => self.value(*register),
            Operand::Number(number) => Sum::number(*number),
            Operand::Memory(memory) => self.load(step, memory, size, context),
            Operand::Other(text) => match text.strip_prefix('$').or_else(|| text.strip_prefix("OFFSET FLAT:")) {
                Some(text) => {
                    let (symbol, by) = text.split_once('+').unwrap_or((text, "0"));
                    let by = by.parse().unwrap_or(0);
                    context.symbol(symbol).moved(by)
                }
                None => context.values.shared(Origin::Made(step, OPERAND)),
            },
        }
    }

    fn load<'t>(&mut self, step: usize, memory: &Memory<'t>, size: i64, context: &mut Context<'_, 't>) -> Sum {
        if let Some((symbol, table)) = memory.symbol.and_then(|symbol| symbol.split_once('@'))
            && memory.relative
            && (table.starts_with("GOT") || table.starts_with("gottpoff"))
        {
            // What the linker puts there.
            return context.symbol(if table.starts_with("GOT") { symbol } else { memory.symbol.unwrap_or(symbol) });
        }
        if memory.segment.is_some()
            && (memory.base, memory.index, memory.symbol, memory.displacement) == (None, None, None, 0)
        {
            return context.values.shared(Origin::Thread);
        }
        let address = self.address(memory, context);
        match (context.values.nature(&address), address.single()) {
            (Nature::Private, Some(id)) => {
                let made = context.values.shared(Origin::Made(step, PIECES));
                self.slot((id, address.offset), size, context).unwrap_or(made)
            }
            (Nature::Constant, _) if is_named(&address, context) => {
                context.values.shared(Origin::Computed("constant", [address, Sum::number(size)]))
            }
            _ => context.values.shared(Origin::Made(step, LOADED)),
        }
    }

    fn assign<'t>(&mut self, step: usize, to: &Operand<'t>, size: i64, value: Sum, context: &mut Context<'_, 't>) {
        match to {
            Operand::Register(register) => self.set(*register, value),
            Operand::Memory(memory) => {
                let address = self.address(memory, context);
                self.write(step, address, size, value, context);
            }
            _ => {}
        }
    }

    fn write(&mut self, step: usize, address: Sum, size: i64, value: Sum, context: &mut Context) {
        match (context.values.nature(&address), address.single()) {
            (Nature::Private, Some(id)) => {
                let key = (id, address.offset);
                let (first, end) = self.overlapping(key, size);
                let outer: Vec<Slot> = [self.slots[first..end].first(), self.slots[first..end].last()]
                    .into_iter()
                    .flatten()
                    .copied()
                    .collect();
                self.store(key, size, value);
                for slot in outer {
                    let (from, to) = (slot.key.1, slot.key.1 + slot.size);
                    for (from, to) in [(from, to.min(key.1)), (from.max(key.1 + size), to)] {
                        if from < to {
                            let rest = Origin::Part(slot.value, from - slot.key.1, to - from);
                            let rest = context.values.shared(rest);
                            self.store((id, from), to - from, rest);
                        }
                    }
                }
            }
            (Nature::Private, None) => {}
            _ => self.forget_escaped(step, context),
        }
    }
}

fn is_repeated(instruction: &Instruction) -> bool {
    instruction.prefixes.iter().any(|prefix| prefix.starts_with("rep"))
}

/// Bytes that a string instruction touches at once.
fn element(instruction: &Instruction) -> i64 {
    match instruction.mnemonic.as_bytes().last() {
        Some(b'b') => 1,
        Some(b'w') => 2,
        Some(b'q') => WORD,
        _ => 4,
    }
}

/// Is it the address of something named, and not what a virtual table holds?
fn is_named(address: &Sum, context: &Context) -> bool {
    address.terms().any(|(id, _)| matches!(context.values.origin(id), Origin::Symbol(_)))
}

/// The mnemonic without the letter that says how wide the operands are.
fn stem(mnemonic: &str) -> &str {
    match mnemonic {
        "sub" | "movabs" | "sal" | "shl" | "rol" | "imul" | "mul" | "cltq" => mnemonic,
        _ => mnemonic.strip_suffix(['q', 'l', 'w', 'b']).unwrap_or(mnemonic),
    }
}

/// Does the result depend on nothing but the operands?
fn is_pure(name: &str) -> bool {
    ["and", "or", "xor", "not", "add", "sub", "inc", "dec", "neg", "shl", "sal", "shr", "sar", "imul"].contains(&name)
        || name.starts_with("movz")
        || name.starts_with("movs") && name.len() <= 6 && name != "movss" && name != "movsd"
}
