//! How much an instruction reads or writes in memory, by its name.
//!
//! Covers what gcc and clang write for ordinary programs up to AVX. What is not known is taken for a read and a write
//! of a word.

use super::assembly::{Instruction, Memory, Operand};

/// What an instruction does with one memory operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Direction {
    Read,
    /// Or both.
    Write,
}

/// Instructions that only look at their last operand.
const LOOKING: [&str; 5] = ["cmp", "test", "ucomis", "comis", "ptest"];

/// Instructions with one operand that they read.
const READING: [&str; 8] = ["push", "mul", "imul", "div", "idiv", "fld", "fild", "ldmxcsr"];

/// Memory operands with what is done to them; calls and jumps read where to go.
pub(super) fn accesses<'i, 't>(
    instruction: &'i Instruction<'t>,
) -> impl Iterator<Item = (&'i Memory<'t>, Direction, i64)> {
    let goes = instruction.is_call() || instruction.is_jump();
    let named = ["lea", "nop", "prefetch", "endbr"].iter().any(|name| instruction.mnemonic.starts_with(name));
    let last = instruction.operands.len().saturating_sub(1);
    instruction.operands.iter().enumerate().filter_map(move |(at, operand)| {
        let Operand::Memory(memory) = operand else { return None };
        // `call f` and `jmp .L3` are read as memory too.
        let reached = !goes || memory.base.is_some() || memory.index.is_some();
        let direction =
            if at == last && !goes && writes_last(instruction) { Direction::Write } else { Direction::Read };
        let size = if goes { 8 } else { memory.size.unwrap_or_else(|| size(instruction)) };
        (!named && reached).then_some((memory, direction, size))
    })
}

/// Does the instruction change its last operand?
pub(super) fn writes_last(instruction: &Instruction) -> bool {
    let name = instruction.mnemonic.trim_start_matches('v');
    // `bts` and its like write, `bt` does not. Comparisons of vectors do not store.
    let looks = LOOKING.iter().any(|start| name.starts_with(start) && !name.starts_with("cmpxchg"))
        || ["bt", "btl", "btq", "btw"].contains(&name);
    let reads = instruction.operands.len() == 1
        && (READING.iter().any(|start| name.starts_with(start)) || is_x87_arithmetic(name));
    !looks && !reads
}

fn is_x87_arithmetic(name: &str) -> bool {
    ["fadd", "fsub", "fmul", "fdiv", "fcom", "fucom", "fiadd", "fisub", "fimul", "fidiv", "ficom", "fldcw", "fldenv"]
        .iter()
        .any(|start| name.starts_with(start))
}

/// Bytes of the memory operand, as AT&T's mnemonics say it.
pub(super) fn size(instruction: &Instruction) -> i64 {
    let name = instruction.mnemonic.trim_start_matches('v');
    let wide = instruction.operands.iter().find_map(|operand| match operand {
        Operand::Other(text) if text.contains("zmm") => Some(64),
        Operand::Other(text) if text.contains("ymm") => Some(32),
        Operand::Other(text) if text.contains("xmm") => Some(16),
        _ => None,
    });
    match wide {
        Some(bytes) => vector(name, bytes).or_else(|| suffix(name)).unwrap_or(bytes),
        None => x87(name).or_else(|| extended(name)).or_else(|| suffix(name)).or(instruction.width).unwrap_or(8),
    }
}

fn vector(name: &str, bytes: i64) -> Option<i64> {
    let is = |names: &[&str]| names.iter().any(|start| name.starts_with(start));
    if is(&["movq", "movlp", "movhp", "movddup", "cvtps2pd", "cvtdq2pd", "movntq", "pinsrq", "pextrq", "broadcastsd"]) {
        return Some(if is(&["movddup"]) { bytes.max(16) / 2 } else { 8 });
    }
    if is(&["movd", "pinsrd", "pextrd", "insertps", "extractps", "broadcastss"]) && !is(&["movdq"]) {
        return Some(4);
    }
    if is(&["pmovzx", "pmovsx"]) {
        return Some(match &name[6..] {
            "bw" | "wd" | "dq" => bytes / 2,
            "bd" | "wq" => bytes / 4,
            _ => bytes / 8,
        });
    }
    match () {
        () if is(&["pinsrw", "pextrw"]) => Some(2),
        () if is(&["pinsrb", "pextrb"]) => Some(1),
        () if is(&["cvtsi2s"]) => Some(if name.ends_with('q') { 8 } else { 4 }),
        () if is(&["cvttsd2", "cvtsd2", "ucomisd", "comisd"]) => Some(8),
        () if is(&["cvttss2", "cvtss2", "ucomiss", "comiss"]) => Some(4),
        () if name.ends_with("ss") => Some(4),
        () if name.ends_with("sd") => Some(8),
        () => Some(bytes),
    }
}

/// `fldt`, `fistpll`: the suffixes mean other sizes there.
fn x87(name: &str) -> Option<i64> {
    let rest = name.strip_prefix('f')?;
    if ["ldcw", "nstcw", "stcw", "nstsw", "stsw"].contains(&rest) {
        return Some(2);
    }
    let integer = rest.starts_with('i');
    Some(match (integer, rest) {
        (_, name) if name.ends_with('t') && name != "st" && name != "ist" => 10,
        (true, name) if name.ends_with("ll") || name.ends_with('q') => 8,
        (true, name) if name.ends_with('l') => 4,
        (true, _) => 2,
        (false, name) if name.ends_with('s') => 4,
        (false, _) => 8,
    })
}

/// `movzbl`, `movslq`, `sete`: not the size of the register.
fn extended(name: &str) -> Option<i64> {
    if name.starts_with("set") {
        return Some(1);
    }
    if name.starts_with("cmpxchg16") {
        return Some(16);
    }
    let rest = name.strip_prefix("movz").or_else(|| name.strip_prefix("movs"))?;
    match rest.as_bytes() {
        [b'b', _] => Some(1),
        [b'w', _] => Some(2),
        [b'l', _] => Some(4),
        _ => None,
    }
}

fn suffix(name: &str) -> Option<i64> {
    match name.as_bytes().last()? {
        b'b' => Some(1),
        b'w' => Some(2),
        b'l' => Some(4),
        b'q' => Some(8),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::assembly::{Statement, Syntax, statements};
    use super::*;

    #[test]
    fn how_much_and_which_way() {
        let check = |text: &str, expected: &[(Direction, i64)]| {
            let found = statements(text, Syntax::Att);
            let [Statement::Instruction(instruction)] = found.as_slice() else { panic!("{text}") };
            let found: Vec<_> = accesses(instruction).map(|(_, direction, size)| (direction, size)).collect();
            assert_eq!(found, expected, "{text}");
        };
        use Direction::{Read, Write};
        check("movl (%rax), %ecx", &[(Read, 4)]);
        check("movq $0, 8(%rax)", &[(Write, 8)]);
        check("movzbl (%rax), %ecx", &[(Read, 1)]);
        check("movslq 4(%rax), %rcx", &[(Read, 4)]);
        check("cmpb $0, (%rax)", &[(Read, 1)]);
        check("addq $1, (%rax)", &[(Write, 8)]);
        check("lock cmpxchgl %ecx, (%rax)", &[(Write, 4)]);
        check("sete (%rax)", &[(Write, 1)]);
        check("movups (%rax), %xmm0", &[(Read, 16)]);
        check("vmovdqu %ymm0, (%rax)", &[(Write, 32)]);
        check("movsd %xmm0, (%rax)", &[(Write, 8)]);
        check("addss (%rax), %xmm0", &[(Read, 4)]);
        check("movhps %xmm0, (%rax)", &[(Write, 8)]);
        check("cvtsi2sdl (%rax), %xmm1", &[(Read, 4)]);
        check("fldt (%rax)", &[(Read, 10)]);
        check("fstpl (%rax)", &[(Write, 8)]);
        check("fildll (%rax)", &[(Read, 8)]);
        check("idivl (%rax)", &[(Read, 4)]);
        check("call *16(%rax)", &[(Read, 8)]);
        check("call f", &[]);
        check("leaq 8(%rax), %rdi", &[]);
    }
}
