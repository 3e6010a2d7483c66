//! Single accesses that the compiler does not announce, in functions that it did instrument.
//!
//! Neither compiler announces the reading of a struct that is passed by value, gcc not the result that a function
//! builds through its hidden pointer, nor a `__builtin_memcpy` that it expands late, clang no `long double`. A place with
//! a name is judged by the whole function: if nothing in it announces that place, the access is a finding. A hook whose
//! address is not known may announce every named place whose address the function takes.
//!
//! Deliberately missed: places without a name (`f(*p)`, except where [`findings`](super::findings) sees it beside a call
//! and for `long double`, which must have a 16-byte announcement somewhere in the function), a place that is announced
//! for another access of the same function, and results built in another unit: what a call writes there cannot be told
//! from an ordinary call with a pointer.

use std::collections::HashSet;

use super::announcements::{announces, is_debug_label, size, switched};
use super::assembly::{
    CALLER_SAVED, Instruction, Memory, Operand, RAX, RDI, RSI, Register, Statement, Syntax, statements,
};
use super::findings::{is_constant, is_exempt};
use super::frame::{Frame, Value};

const WORD: i64 = 8;

/// Counters of coverage and profiling, which are the compiler's.
const COUNTERS: [&str; 4] = ["__gcov", "__prof", "__llvm_", "_ZGV"];

/// A named place and how far into it.
type Named<'t> = (&'t str, i64);

/// Text of one function, and what is known of its unit.
pub(super) struct Function<'f, 't> {
    pub(super) name: &'t str,
    pub(super) lines: &'f [&'t str],
    pub(super) syntax: Syntax,
    pub(super) read_only: &'f HashSet<&'t str>,
}

/// Numbers of the lines that touch what nothing announces; `builders` are from [`builders`].
pub(super) fn unannounced(function: &Function, builders: &HashSet<&str>) -> Vec<usize> {
    if is_exempt(function.name) {
        return Vec::new();
    }
    let mut announced = Announced::default();
    walk(function, |_, instruction, state| announced.hook(instruction, state));
    let mut found = Vec::new();
    walk(function, |number, instruction, state| {
        if announced.misses(instruction, state, function.read_only) || builds_shared(instruction, state, builders) {
            found.push(number);
        }
    });
    found
}

/// Functions that build their result through a hidden pointer without announcing it.
pub(super) fn builders<'t>(functions: &[Function<'_, 't>]) -> HashSet<&'t str> {
    let mut found = HashSet::new();
    loop {
        let before = found.len();
        for function in functions {
            let (mut stores, mut announces_it, mut returns) = (false, false, false);
            walk(function, |_, instruction, state| {
                let to_result = |memory: &Memory| state.frame.address(memory) == Value::Entry(RDI);
                let hook = instruction.target().is_some_and(|name| name.starts_with("__tsan_"));
                let first = state.frame.value(RDI) == Value::Entry(RDI);
                announces_it |= hook && first && instruction.is_call();
                stores |= matches!(instruction.operands.last(), Some(Operand::Memory(memory))
                    if instruction.touched().next().is_some() && to_result(memory));
                stores |= instruction.is_call() && first && instruction.target().is_some_and(|f| found.contains(f));
                returns |= instruction.is_return() && state.frame.value(RAX) == Value::Entry(RDI);
            });
            if stores && returns && !announces_it {
                found.insert(function.name);
            }
        }
        if found.len() == before {
            return found;
        }
    }
}

/// Does the call let a builder write where others may look?
fn builds_shared(instruction: &Instruction, state: &State, builders: &HashSet<&str>) -> bool {
    let shared = match state.frame.value(RDI) {
        Value::Symbol | Value::Loaded => true,
        Value::Entry(register) => register != RDI,
        _ => false,
    };
    shared && instruction.is_call() && instruction.target().is_some_and(|name| builders.contains(name))
}

/// What registers hold before an instruction.
struct State<'t> {
    frame: Frame,
    named: [Option<Named<'t>>; 16],
}

fn walk<'t>(function: &Function<'_, 't>, mut visit: impl FnMut(usize, &Instruction<'t>, &State<'t>)) {
    let mut state = State { frame: Frame::new(), named: [None; 16] };
    let (mut syntax, mut inline) = (function.syntax, false);
    let constant = |symbol: &str| is_constant(symbol, function.read_only);
    for (number, line) in function.lines.iter().enumerate() {
        match line.trim() {
            "#APP" => inline = true, // judged by itself
            "#NO_APP" => inline = false,
            _ => {}
        }
        for statement in statements(line, syntax) {
            match statement {
                Statement::Label(name) if is_debug_label(name) => {}
                Statement::Label(name) => state.frame.label(name),
                Statement::Directive(name, _) => syntax = switched(syntax, name),
                Statement::Instruction(instruction) => {
                    if !inline {
                        visit(number, &instruction, &state);
                    }
                    state.step(&instruction);
                    state.frame.step(&instruction, &constant);
                }
            }
        }
    }
}

impl<'t> State<'t> {
    fn name(&self, register: Register) -> Option<Named<'t>> {
        self.named[usize::from(register.0)]
    }

    fn step(&mut self, instruction: &Instruction<'t>) {
        if instruction.is_call() {
            CALLER_SAVED.into_iter().for_each(|register| self.named[usize::from(register.0)] = None);
            return;
        }
        if ["cmp", "test", "push"].iter().any(|name| instruction.mnemonic.starts_with(name)) {
            return;
        }
        let Some(Operand::Register(to)) = instruction.operands.last() else { return };
        let value = match (instruction.mnemonic, instruction.operands.as_slice()) {
            (name, [Operand::Number(by), _]) if name.starts_with("add") => {
                self.name(*to).map(|(symbol, at)| (symbol, at + by))
            }
            (name, [from, _]) if name.starts_with("mov") || name.starts_with("lea") => {
                self.taken(instruction).or(match from {
                    Operand::Register(from) => self.name(*from),
                    Operand::Memory(Memory { base: Some(base), index: None, symbol: None, displacement, .. })
                        if name.starts_with("lea") =>
                    {
                        self.name(*base).map(|(symbol, at)| (symbol, at + displacement))
                    }
                    _ => None,
                })
            }
            _ => None,
        };
        self.named[usize::from(to.0)] = value;
    }

    /// The place whose address the instruction takes.
    fn taken(&self, instruction: &Instruction<'t>) -> Option<Named<'t>> {
        match instruction.operands.first()? {
            Operand::Memory(Memory { symbol: Some(symbol), displacement, index: None, segment: None, .. }) => {
                match symbol.split_once("@GOTPCREL") {
                    Some((symbol, _)) => Some((symbol, 0)),
                    None => instruction.mnemonic.starts_with("lea").then_some((*symbol, *displacement)),
                }
            }
            // `movl $x+4, %edi`
            Operand::Other(text) if instruction.mnemonic.starts_with("mov") => {
                let text = text.strip_prefix('$').or_else(|| text.strip_prefix("OFFSET FLAT:"))?;
                let (symbol, by) = text.split_once('+').unwrap_or((text, "0"));
                Some((symbol, by.parse().ok()?))
            }
            _ => None,
        }
    }
}

/// What a function announces anywhere.
#[derive(Default)]
struct Announced<'t> {
    /// From and to, by whole words: a bit-field is loaded with its neighbours.
    ranges: Vec<(&'t str, i64, i64)>,
    taken: HashSet<&'t str>,
    /// A hook announces a place that is not known.
    unknown: bool,
    /// Something of 16 bytes is announced.
    wide: bool,
}

impl<'t> Announced<'t> {
    fn hook(&mut self, instruction: &Instruction<'t>, state: &State<'t>) {
        if !instruction.is_call() {
            self.taken.extend(state.taken(instruction).map(|(symbol, _)| symbol));
            return;
        }
        let Some(name) = instruction.target().filter(|name| !name.starts_with("__tsan_func_")) else { return };
        if name.starts_with("__tsan_mem") {
            self.cover(RSI, None, state);
            self.cover(RDI, None, state);
        } else if name.starts_with("__tsan_atomic") {
            self.cover(RDI, Some(16), state);
        } else if announces(name) {
            let size = size(name, &state.frame);
            self.wide |= size.is_none_or(|size| size >= 16);
            self.cover(RDI, size, state);
        }
    }

    fn cover(&mut self, register: Register, size: Option<i64>, state: &State<'t>) {
        match (state.name(register), size) {
            (Some((symbol, at)), Some(size)) => {
                self.ranges.push((symbol, at & !(WORD - 1), (at + size + WORD - 1) & !(WORD - 1)));
            }
            (Some((symbol, _)), None) => self.ranges.push((symbol, i64::MIN, i64::MAX)),
            (None, _) => self.unknown |= !matches!(state.frame.value(register), Value::Stack(_)),
        }
    }

    fn covers(&self, symbol: &str, at: i64) -> bool {
        self.ranges.iter().any(|(name, from, to)| *name == symbol && (*from..*to).contains(&at))
    }

    fn misses(&self, instruction: &Instruction<'t>, state: &State<'t>, read_only: &HashSet<&str>) -> bool {
        let shared =
            |symbol: &str| !is_constant(symbol, read_only) && !COUNTERS.iter().any(|start| symbol.starts_with(start));
        if instruction.is_string() {
            let source = (!instruction.mnemonic.starts_with("stos")).then_some(RSI);
            return [Some(RDI), source]
                .into_iter()
                .flatten()
                .filter_map(|register| state.name(register))
                .any(|(symbol, at)| shared(symbol) && !(self.covers(symbol, at) && self.covers(symbol, at + WORD)));
        }
        instruction.touched().filter(|memory| memory.segment.is_none()).any(|memory| match memory.symbol {
            Some(symbol) if memory.base.is_none() && memory.index.is_none() => {
                let last = memory.displacement + if is_vector(instruction) { WORD } else { 0 };
                let covered = self.covers(symbol, memory.displacement) && self.covers(symbol, last);
                shared(symbol) && !covered && !(self.unknown && self.taken.contains(symbol))
            }
            _ => {
                let private = matches!(state.frame.address(memory), Value::Stack(_) | Value::Constant);
                ["fldt", "fstpt"].contains(&instruction.mnemonic) && !private && !self.wide
            }
        })
    }
}

/// Does it move 16 bytes or more?
fn is_vector(instruction: &Instruction) -> bool {
    let name = instruction.mnemonic.trim_start_matches('v');
    ["movdqa", "movdqu", "movaps", "movups", "movapd", "movupd"].iter().any(|start| name.starts_with(start))
}
