//! Announcing what inline assembly does to memory.
//!
//! Compilers announce none of it. Around each instruction that touches memory go calls of the runtime's hooks, which change no register and
//! no flag: before it, with the address; after it too where it writes. Up to sixteen bytes are accessed at once on this processor, so an
//! access counts as atomic: a load acquires, a store releases, an instruction with `lock` (and `xchg`) does both. One that loads, changes and stores
//! without `lock` is taken apart, since on another processor a store can come between.
//!
//! The function around it may keep values below the stack pointer, so the hooks are called beyond those 128 bytes. What is not understood stays
//! as it is, and is a caveat.

use super::assembly::{Instruction, Memory, Operand, RSP, Register, split_outside};

/// Bytes below the stack pointer that belong to the function.
const RED_ZONE: i64 = 128;
const WORD: i64 = 8;

/// Bytes that an instruction without a suffix or a general register accesses.
const FIXED: [(&str, i64, Access); 20] = [
    ("movups", 16, Access::Move),
    ("movupd", 16, Access::Move),
    ("movaps", 16, Access::Move),
    ("movapd", 16, Access::Move),
    ("movdqu", 16, Access::Move),
    ("movdqa", 16, Access::Move),
    ("movd", 4, Access::Move),
    ("movzb", 1, Access::Load),
    ("movsb", 1, Access::Load),
    ("movzw", 2, Access::Load),
    ("movsw", 2, Access::Load),
    ("movsl", 4, Access::Load),
    ("cmpxchg8b", 8, Access::Exchange),
    ("cmpxchg16b", 16, Access::Exchange),
    ("stmxcsr", 4, Access::Store),
    ("ldmxcsr", 4, Access::Load),
    ("fnstcw", 2, Access::Store),
    ("fldcw", 2, Access::Load),
    ("fnstsw", 2, Access::Store),
    ("set", 1, Access::Store),
];

/// Those with the letter of their width, or a general register that tells it.
const SIZED: [(&str, Access); 31] = [
    ("mov", Access::Move),
    ("movnti", Access::Store),
    ("cmp", Access::Load),
    ("test", Access::Load),
    ("bt", Access::Load),
    ("imul", Access::Load),
    ("bsf", Access::Load),
    ("bsr", Access::Load),
    ("popcnt", Access::Load),
    ("tzcnt", Access::Load),
    ("lzcnt", Access::Load),
    ("cmov", Access::Load),
    ("add", Access::Update),
    ("sub", Access::Update),
    ("and", Access::Update),
    ("or", Access::Update),
    ("xor", Access::Update),
    ("adc", Access::Update),
    ("sbb", Access::Update),
    ("inc", Access::Update),
    ("dec", Access::Update),
    ("neg", Access::Update),
    ("not", Access::Update),
    ("shl", Access::Update),
    ("shr", Access::Update),
    ("bts", Access::Exchange),
    ("btr", Access::Exchange),
    ("btc", Access::Exchange),
    ("xchg", Access::Exchange),
    ("xadd", Access::Exchange),
    ("cmpxchg", Access::Exchange),
];

/// What an instruction does to its memory operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Access {
    Load,
    Store,
    /// To or from it.
    Move,
    /// Changes it if it is the destination, and can be taken apart; reads it otherwise.
    Update,
    /// Changes it, and cannot be taken apart.
    Exchange,
}

/// One instruction, which touches memory, with the calls around it. `text` is all of it, with its prefixes, as AT&T has it. `None`: it is not
/// understood.
pub(super) fn with_hooks(instruction: &Instruction, text: &str) -> Option<String> {
    let locked = match instruction.prefixes.as_slice() {
        [] => instruction.mnemonic.starts_with("xchg"),
        ["lock"] => true,
        _ => return None,
    };
    let (access, size) = access_of(instruction)?;
    let (at, place, memory) = operand(instruction, text)?;
    let last = at + 1 == instruction.operands.len();
    match access {
        _ if locked => Some(around("update", size, place, &memory, text)),
        Access::Exchange => None,
        Access::Load => Some(before("load", size, place, &memory, text)),
        Access::Move | Access::Update if !last => Some(before("load", size, place, &memory, text)),
        Access::Store | Access::Move => Some(around("store", size, place, &memory, text)),
        Access::Update => apart(instruction, size, place, &memory, text),
    }
}

/// What it does, and to how many bytes.
fn access_of(instruction: &Instruction) -> Option<(Access, i64)> {
    let name = instruction.mnemonic;
    // `movzbl`, `setne`, `cmovne` go on with what they are about.
    let fixed = FIXED.iter().find(|(known, _, access)| match *known {
        "movzb" | "movsb" | "movzw" | "movsw" => {
            name.strip_prefix(known).is_some_and(|rest| matches!(rest, "w" | "l" | "q"))
        }
        "movsl" => name == "movslq" && *access == Access::Load,
        "set" => name.starts_with("set"),
        known => name == known,
    });
    if let Some((_, size, access)) = fixed {
        return Some((*access, *size));
    }
    let known = |name: &str| SIZED.iter().find(|(known, _)| *known == name).map(|(_, access)| *access);
    let vector =
        instruction.operands.iter().any(|operand| matches!(operand, Operand::Other(text) if text.starts_with('%')));
    if vector {
        return match name {
            "movq" | "movsd" => Some((Access::Move, 8)),
            "movss" => Some((Access::Move, 4)),
            _ => None,
        };
    }
    let (access, suffix) = match known(name) {
        Some(access) => (access, None),
        None if name.starts_with("cmov") => (Access::Load, None),
        None => (known(name.get(..name.len() - 1)?)?, name.chars().last()),
    };
    let size = match suffix {
        Some('b') => 1,
        Some('w') => 2,
        Some('l') => 4,
        Some('q') => 8,
        Some(_) => return None,
        // What it is shifted by is in a register of its own.
        None if name.starts_with("sh") => return None,
        None => instruction.width?,
    };
    let bits = matches!(name.get(..2)?, "bt");
    // A number of a bit in a register may be beyond the operand.
    let far = bits && !matches!(instruction.operands.first(), Some(Operand::Number(_)));
    (!far).then_some((access, size))
}

/// The memory operand: which one, as it is written, and what it says.
fn operand<'t>(instruction: &Instruction<'t>, text: &'t str) -> Option<(usize, &'t str, Memory<'t>)> {
    let (_, operands) = text.split_once(instruction.mnemonic)?;
    let written = split_outside(operands, ',', false);
    let mut found = instruction.operands.iter().enumerate().filter_map(|(at, operand)| match operand {
        Operand::Memory(memory) => Some((at, memory.clone())),
        _ => None,
    });
    let (at, memory) = found.next()?;
    let place = written.get(at)?.trim();
    let plain = memory.segment.is_none() && found.next().is_none() && written.len() == instruction.operands.len();
    let (front, registers) = place.split_at(place.find('(').unwrap_or(place.len()));
    let known = |c: char| c.is_ascii_alphanumeric() || "_.$+-".contains(c);
    let whole = registers.is_empty() || registers.ends_with(')') && registers.matches('(').count() == 1;
    let somewhere = !memory.relative || memory.symbol.is_some();
    (plain && whole && somewhere && front.chars().all(known)).then_some((at, place, memory))
}

/// A call of a hook, without the operand's address if it needs none. Through the GOT and not the PLT, whose first call changes registers.
fn hook(name: &str, place: Option<(&str, &Memory)>, pushed: i64) -> String {
    let call = format!("call\t*__gabion_assembly_{name}@GOTPCREL(%rip)");
    let inside = match place {
        None => call,
        Some((place, memory)) => {
            let place = moved(place, memory, pushed + RED_ZONE + WORD);
            format!("pushq\t%rdi; leaq\t{place}, %rdi; {call}; popq\t%rdi")
        }
    };
    format!("leaq\t-{RED_ZONE}(%rsp), %rsp; {inside}; leaq\t{RED_ZONE}(%rsp), %rsp")
}

fn before(name: &str, size: i64, place: &str, memory: &Memory, text: &str) -> String {
    format!("{}; {text}", hook(&format!("{name}{size}"), Some((place, memory)), 0))
}

fn around(name: &str, size: i64, place: &str, memory: &Memory, text: &str) -> String {
    format!("{}; {}", before(name, size, place, memory, text), hook("done", None, 0))
}

/// An update as a load, the change in a register, and a store.
fn apart(instruction: &Instruction, size: i64, place: &str, memory: &Memory, text: &str) -> Option<String> {
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
    let scratch = [
        (0, ["%al", "%ax", "%eax", "%rax"]),
        (2, ["%dl", "%dx", "%edx", "%rdx"]),
        (1, ["%cl", "%cx", "%ecx", "%rcx"]), // no shift by %cl: that would be used
        (3, ["%bl", "%bx", "%ebx", "%rbx"]), // each can stand beside the high byte of another
    ];
    let (_, parts) = scratch.iter().find(|(number, _)| !used.contains(&Register(*number)))?;
    let whole = parts[3];
    let (letter, part) = match size {
        1 => ('b', parts[0]),
        2 => ('w', parts[1]),
        4 => ('l', parts[2]),
        8 => ('q', parts[3]),
        _ => return None,
    };
    let pushed = RED_ZONE + WORD;
    let change = text.strip_suffix(place)?;
    // Where it is loaded from and stored to with the register saved, beyond the red zone.
    let inside = moved(place, memory, pushed);
    let load = hook(&format!("load{size}"), Some((place, memory)), pushed);
    let store = hook(&format!("store{size}"), Some((place, memory)), pushed);
    let done = hook("done", None, 0);
    Some(format!(
        "leaq\t-{RED_ZONE}(%rsp), %rsp; pushq\t{whole}; {load}; mov{letter}\t{inside}, {part}; {change}{part}; {store}; \
         mov{letter}\t{part}, {inside}; {done}; popq\t{whole}; leaq\t{RED_ZONE}(%rsp), %rsp"
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
