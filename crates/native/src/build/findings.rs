//! Functions that were compiled without instrumentation, in a file that has it, or with gaps in it.
//!
//! `no_sanitize("thread")` and its relatives leave a function that touches memory and has no hook for a plain access.
//! gcc then has no hooks at all there; clang keeps those of atomics and of function entry. What an ordinary function may
//! touch without a hook is excepted: its own frame, memory that nobody writes, thread-local storage, and the result
//! that it builds through a hidden pointer. (So a function that is exempt from instrumentation, stores only through its
//! first argument and returns that, is missed.)

use std::collections::HashSet;

use super::announcements::{announces, is_debug_label, switched};
use super::assembly::{Instruction, Memory, Operand, RAX, RDI, RSI, Statement, Syntax, statements};
use super::frame::{Frame, Value};

/// Functions the compiler makes up itself: constructors of the unit, and thunks, which read virtual tables.
const MADE_UP: [&str; 8] =
    ["_GLOBAL__", "_sub_I_", "_sub_D_", "tsan.module_", "_ZTv", "_ZTh", "_ZTc", "__clang_call_terminate"];

/// The C++ library's own, which every verdict trusts: it has gaps ([`Gap`]) too, `std::thread::joinable` for one.
const TRUSTED: [&str; 7] = ["_ZNSt", "_ZNKSt", "_ZSt", "_ZN9__gnu_cxx", "_ZZNSt", "_ZZNKSt", "_ZZSt"];

/// Symbols of memory that nobody writes: virtual tables and type information, local constants, and the linker's tables.
pub(super) fn is_constant(symbol: &str, read_only: &HashSet<&str>) -> bool {
    symbol.starts_with(".L")
        || symbol.contains("@GOT")
        || symbol.contains("@TLS")
        || ["_ZTV", "_ZTI", "_ZTS", "_ZTT"].iter().any(|start| symbol.starts_with(start))
        || read_only.contains(symbol)
}

/// Labels that stand in read-only sections.
pub(super) fn read_only_symbols<'t>(lines: &[&'t str]) -> HashSet<&'t str> {
    let mut found = HashSet::new();
    let mut inside = false;
    for line in lines {
        let text = line.trim_start();
        if let Some(rest) = text.strip_prefix(".section") {
            let name = rest.trim().trim_start_matches('"');
            inside = name.starts_with(".rodata") || name.starts_with(".data.rel.ro") || name.starts_with(".lrodata");
        } else if [".text", ".data", ".bss"].iter().any(|name| text.starts_with(name)) {
            inside = false;
        } else if inside
            && let Some((label, _)) = line.split_once(':')
            && !line.starts_with(['\t', ' ', '#'])
        {
            found.insert(label);
        }
    }
    found
}

/// Functions that are not judged.
pub(super) fn is_exempt(name: &str) -> bool {
    MADE_UP.iter().chain(&TRUSTED).any(|start| name.starts_with(start))
}

/// Does the function, given by its lines, touch memory that only hooks could have told us about?
pub(super) fn is_uninstrumented(name: &str, lines: &[&str], mut syntax: Syntax, read_only: &HashSet<&str>) -> bool {
    if is_exempt(name) {
        return false;
    }
    let constant = |symbol: &str| is_constant(symbol, read_only);
    let mut frame = Frame::new();
    let mut gap = Gap::default();
    let (mut suspicious, mut through_result, mut returns_first) = (false, false, false);
    let (mut inline, mut after_atomic) = (false, false);
    for line in lines {
        match line.trim() {
            "#APP" => inline = true, // judged by itself
            "#NO_APP" => inline = false,
            _ => {}
        }
        for statement in statements(line, syntax) {
            let instruction = match statement {
                Statement::Label(name) => {
                    frame.label(name);
                    gap.label(name);
                    continue;
                }
                Statement::Directive(name, _) => {
                    syntax = switched(syntax, name);
                    continue;
                }
                Statement::Instruction(instruction) => instruction,
            };
            gap.call(&instruction);
            if instruction.target().is_some_and(|name| name.starts_with("__tsan_atomic")) {
                after_atomic = true;
            }
            let mut touched = if inline { Vec::new() } else { touches(&instruction, &frame, &constant) };
            // LLVM replaces an atomic load by a call, but leaves the load behind, its result unused.
            if !touched.is_empty() && std::mem::take(&mut after_atomic) && is_load(&instruction) {
                touched.clear();
            }
            suspicious |= touched.contains(&Touched::Shared);
            gap.found |= touched.contains(&Touched::Shared) && !gap.covered;
            gap.through_result |= touched.contains(&Touched::Result) && !gap.covered;
            through_result |= touched.contains(&Touched::Result);
            returns_first |= instruction.is_return() && frame.value(RAX) == Value::Entry(RDI);
            frame.step(&instruction, &constant);
        }
    }
    if gap.announced {
        (suspicious, through_result) = (gap.found, gap.through_result);
    }
    suspicious || (through_result && !returns_first)
}

/// Accesses without announcement in a function that has announcements. gcc announces neither `f(*p)` nor `*p = f()` with
/// a struct, LLVM not the former if the struct is large: they stand right before or after a call, with no announcement
/// since the call before. Only straight lines are judged: how control came to a label is not known.
#[derive(Default)]
struct Gap {
    covered: bool,
    /// The function has announcements at all.
    announced: bool,
    found: bool,
    through_result: bool,
}

impl Gap {
    fn label(&mut self, name: &str) {
        self.covered |= !is_debug_label(name);
    }

    fn call(&mut self, instruction: &Instruction) {
        if instruction.target().is_some_and(announces) || calls_memory_hook(instruction) {
            (self.covered, self.announced) = (true, true);
        } else if instruction.is_call() {
            self.covered = false;
        } else if instruction.is_jump() {
            self.covered = true;
        }
    }
}

fn is_load(instruction: &Instruction) -> bool {
    matches!(instruction.operands.as_slice(), [Operand::Memory(_), Operand::Register(_)])
}

/// LLVM announces copies of memory by replacing them.
fn calls_memory_hook(instruction: &Instruction) -> bool {
    instruction.target().is_some_and(|name| name.starts_with("__tsan_mem"))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Touched {
    /// Through what was the first argument: perhaps the place of a returned struct.
    Result,
    Shared,
}

/// What the instruction touches besides private memory.
fn touches(instruction: &Instruction, frame: &Frame, constant: &dyn Fn(&str) -> bool) -> Vec<Touched> {
    let judge = |value: Value| match value {
        Value::Stack(_) | Value::Constant => None,
        Value::Entry(RDI) => Some(Touched::Result),
        _ => Some(Touched::Shared),
    };
    if instruction.is_string() {
        let source = !instruction.mnemonic.starts_with("stos");
        let pointers = [Some(RDI), source.then_some(RSI)];
        return pointers.into_iter().flatten().filter_map(|register| judge(frame.value(register))).collect();
    }
    let private = |memory: &Memory| memory.segment.is_some() || memory.symbol.is_some_and(constant);
    instruction.touched().filter(|memory| !private(memory)).filter_map(|memory| judge(frame.address(memory))).collect()
}
