//! Updates of memory that are announced as writes only.
//!
//! gcc announces the store to a bit-field as a write, and then loads the word that holds it, changes it and stores it
//! back, or does all of that in one instruction. The scheduler switches at announcements, so nothing could ever come
//! between load and store, though on a real machine another processor's store does. A call of the runtime's
//! `__gabion_split` is put right before such a store; a single instruction is taken apart first.
//!
//! An update is a load, after the announcement of a write, and a store to the same place before control may arrive from
//! elsewhere. The same place means the same operand or one less than a word away. Too much splitting does no harm: the
//! store is announced once more. Functions with calls do not use the red zone, so pushing is safe; the frame information
//! is not adjusted for it, and unwinding through the call would go wrong. Thread-local storage is left alone.

use super::announcements::{announces, size};
use super::assembly::{Instruction, Memory, Operand, RDI, RSP, Register, Statement, Syntax, split_outside, statements};
use super::frame::{Frame, Value};
use super::walk::{Event, walk_frame};

const WORD: i64 = 8;

/// Instructions that read and write their last operand, without the letter of its width.
const UPDATES: [&str; 20] = [
    "and", "or", "xor", "add", "sub", "adc", "sbb", "inc", "dec", "neg", "not", "shl", "sal", "shr", "sar", "rol",
    "ror", "bts", "btr", "btc",
];

/// A line to be replaced.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Split {
    pub(super) line: usize,
    /// `None` where the spelling cannot be rewritten.
    pub(super) text: Option<String>,
}

/// A write that was announced since the last label or call.
struct Open<'t> {
    address: Value,
    size: Option<i64>,
    loads: Vec<Memory<'t>>,
}

/// The updates in the lines of one function.
pub(super) fn splits(lines: &[&str], syntax: Syntax) -> Vec<Split> {
    let mut open: Option<Open> = None;
    let mut found = Vec::new();
    walk_frame(lines, syntax, |number, event, frame| {
        let (Event::Instruction(instruction) | Event::Written(instruction)) = event else {
            open = None;
            return;
        };
        if instruction.is_call() {
            match instruction.target().filter(|name| announces(name)) {
                Some(hook) if hook.contains("write") && !hook.contains("read_write") => {
                    let (address, size) = (frame.value(RDI), size(hook, frame));
                    open = Some(Open { address, size, loads: Vec::new() });
                }
                Some(_) => {}
                None => open = None,
            }
        } else if let Some(open) = &mut open
            && open.stores_what_it_loaded(instruction, frame)
        {
            let text = (syntax == Syntax::Att).then(|| rewritten(lines[number], instruction)).flatten();
            found.push(Split { line: number, text });
        }
    });
    found
}

impl<'t> Open<'t> {
    fn stores_what_it_loaded(&mut self, instruction: &Instruction<'t>, frame: &Frame) -> bool {
        let update = is_update(instruction);
        let mut found = false;
        let last = instruction.operands.len().saturating_sub(1);
        for (at, operand) in instruction.operands.iter().enumerate() {
            let Operand::Memory(memory) = operand else { continue };
            if instruction.touched().next().is_none() || !self.concerns(memory, frame) {
                continue;
            }
            if at == last && (update || instruction.mnemonic.starts_with("mov")) {
                found |= update || self.loads.iter().any(|load| overlap(load, memory));
            } else {
                self.loads.push(memory.clone());
            }
        }
        if let Some(Operand::Register(written)) = instruction.operands.last()
            && !["cmp", "test"].iter().any(|name| instruction.mnemonic.starts_with(name))
        {
            self.loads.retain(|load| load.base != Some(*written) && load.index != Some(*written));
        }
        found && !instruction.prefixes.contains(&"lock")
    }

    /// May the operand be what was announced?
    fn concerns(&self, memory: &Memory, frame: &Frame) -> bool {
        let constant = memory.symbol.is_some_and(|symbol| symbol.starts_with(".L") || symbol.contains('@'));
        if memory.segment.is_some() || constant {
            return false;
        }
        match (frame.address(memory), self.address) {
            (Value::Stack(Some(at)), Value::Stack(Some(start))) => {
                at >= start & !(WORD - 1) && self.size.is_none_or(|size| at < (start + size + WORD - 1) & !(WORD - 1))
            }
            (Value::Stack(_), Value::Stack(_)) => true,
            (Value::Stack(_), _) => false,
            (_, announced) => !matches!(announced, Value::Stack(_)),
        }
    }
}

fn overlap(a: &Memory, b: &Memory) -> bool {
    (a.base, a.index, a.symbol) == (b.base, b.index, b.symbol) && (a.displacement - b.displacement).abs() < WORD
}

fn is_update(instruction: &Instruction) -> bool {
    let name = instruction.mnemonic.strip_suffix(['b', 'w', 'l', 'q']).unwrap_or(instruction.mnemonic);
    [name, instruction.mnemonic].iter().any(|name| UPDATES.contains(name))
}

/// The line with the call before its store.
fn rewritten(line: &str, instruction: &Instruction) -> Option<String> {
    let [Statement::Instruction(_)] = statements(line, Syntax::Att).as_slice() else { return None };
    let width = instruction.mnemonic.chars().last()?;
    let (bytes, names) = match width {
        'b' => (1, ["%al", "%dl", "%sil", "%r8b"]),
        'w' => (2, ["%ax", "%dx", "%si", "%r8w"]),
        'l' => (4, ["%eax", "%edx", "%esi", "%r8d"]),
        'q' => (8, ["%rax", "%rdx", "%rsi", "%r8"]),
        _ => return None,
    };
    let code = split_outside(line, ';', true).first()?.trim();
    let Some(Operand::Memory(memory)) = instruction.operands.last() else { return None };
    let operands = code.split_once([' ', '\t'])?.1.trim();
    let place = split_outside(operands, ',', false).last()?.trim();
    // Through the GOT and not the PLT, whose first call changes registers and flags.
    let call = |pushed: i64| {
        let place = moved(place, memory, pushed + WORD);
        format!("pushq\t%rdi; leaq\t{place}, %rdi; call\t*__gabion_split{bytes}@GOTPCREL(%rip); popq\t%rdi")
    };
    if !is_update(instruction) {
        return Some(format!("\t{}; {}", call(0), code));
    }
    let used: Vec<Register> = instruction
        .operands
        .iter()
        .flat_map(|operand| match operand {
            Operand::Register(register) => [Some(*register), None],
            Operand::Memory(memory) => [memory.base, memory.index],
            _ => [None, None],
        })
        .flatten()
        .collect();
    let scratch = [(0, "%rax"), (2, "%rdx"), (6, "%rsi"), (8, "%r8")];
    let free = scratch.iter().position(|(number, _)| !used.contains(&Register(*number)))?;
    let (whole, part) = (scratch[free].1, names[free]);
    let source = operands.strip_suffix(place)?;
    let (mnemonic, inside) = (instruction.mnemonic, moved(place, memory, WORD));
    Some(format!(
        "\tpushq\t{whole}; mov{width}\t{inside}, {part}; {mnemonic}\t{source}{part}; {}; mov{width}\t{part}, {inside}; popq\t{whole}",
        call(WORD)
    ))
}

/// The operand while that many bytes more are on the stack.
fn moved(place: &str, memory: &Memory, pushed: i64) -> String {
    match (memory.base == Some(RSP), place.starts_with('(')) {
        (false, _) => place.to_owned(),
        (true, true) => format!("{pushed}{place}"),
        (true, false) => format!("{pushed}+{place}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn updates_are_split() {
        let check = |text: &str, expected: &[(usize, &str)]| {
            let lines: Vec<&str> = text.lines().collect();
            let found = splits(&lines, Syntax::Att);
            let found: Vec<_> = found.into_iter().map(|split| (split.line, split.text.expect("rewritten"))).collect();
            let expected: Vec<_> = expected.iter().map(|(line, text)| (*line, (*text).to_owned())).collect();
            assert_eq!(found, expected, "{text}");
        };
        check(
            "leaq s(%rip), %rdi\ncall __tsan_write1\nmovzbl s(%rip), %eax\norl $3, %eax\nmovb %al, s(%rip)",
            &[(
                4,
                "\tpushq\t%rdi; leaq\ts(%rip), %rdi; call\t*__gabion_split1@GOTPCREL(%rip); popq\t%rdi; movb %al, s(%rip)",
            )],
        );
        check(
            "call __tsan_write8\norb $1, (%rax)",
            &[(
                1,
                "\tpushq\t%rdx; movb\t(%rax), %dl; orb\t$1, %dl; pushq\t%rdi; leaq\t(%rax), %rdi; \
                 call\t*__gabion_split1@GOTPCREL(%rip); popq\t%rdi; movb\t%dl, (%rax); popq\t%rdx",
            )],
        );
        // A counter of the frame, another place, another way in, an access that a hook has announced before.
        check("pushq %rbp\nmovq %rsp, %rbp\nmovq -8(%rbp), %rdi\ncall __tsan_write4\naddl $1, -20(%rbp)", &[]);
        check("call __tsan_write8\nmovq (%rbx), %rax\nmovq %rax, 8(%rbx)", &[]);
        check("call __tsan_write8\nmovq (%rbx), %rax\n.L3:\nmovq %rax, (%rbx)", &[]);
        check("call __tsan_read4\nmovl (%rbx), %eax\ncall __tsan_write4\nmovl %eax, (%rbx)", &[]);
    }
}
