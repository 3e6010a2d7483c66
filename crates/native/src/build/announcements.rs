//! Announcements that belong to one statement.
//!
//! A hook announces the access that follows it, and the scheduler may switch threads before that access. gcc announces
//! both halves of `*p = *q` and then does both: a switch at the second announcement would put the first access into a
//! step that never announced it. Where the text shows that the announcement before has not been executed yet, the
//! second call is renamed (`__tsan_write8` → `__gabion_joined_write8`): announced, but no point to switch at.
//!
//! Executed means that an instruction between the two touches what was announced. Compilers do not move accesses to
//! announced memory across calls, so only the straight line between two announcements matters. Stack slots that hold
//! the pointers at -O0 are not the access itself, unless it was a place of the frame that was announced. In doubt the
//! announcements stay separate.

use super::assembly::{Instruction, RDI, RSI, Syntax};
use super::frame::{Frame, Value};
use super::walk::{Event, walk_frame};

const HOOK: &str = "__tsan_";
const JOINED: &str = "__gabion_joined_";

const WORD: i64 = 8;

/// What was announced and not executed yet.
#[derive(Clone, Copy)]
struct Announced {
    address: Value,
    /// Bytes, if known.
    size: Option<i64>,
}

/// Is it a hook that only announces? Atomics and function entries do all they do at once.
pub(super) fn announces(name: &str) -> bool {
    name.strip_prefix(HOOK).or_else(|| name.strip_prefix(JOINED)).is_some_and(|rest| {
        let rest = rest.trim_start_matches("unaligned_").trim_start_matches("volatile_");
        rest.starts_with("read") || rest.starts_with("write") || rest.starts_with("vptr_")
    })
}

/// Only LLVM knows the others, and it announces each access right before it.
fn has_joined_form(hook: &str) -> bool {
    !hook.contains("vptr_") && !hook.contains("unaligned_volatile_")
}

/// Numbers of the lines of one function whose call is to be joined to the announcement before it.
pub(super) fn joined_lines(lines: &[&str], syntax: Syntax) -> Vec<usize> {
    let mut pending: Option<Announced> = None;
    let mut joined = Vec::new();
    walk_frame(lines, syntax, |number, event, frame| {
        let (Event::Instruction(instruction) | Event::Written(instruction)) = event else {
            pending = None; // another way in, or nobody knows what it does
            return;
        };
        if instruction.is_call() {
            let hook = instruction.target().filter(|name| announces(name));
            if hook.is_some_and(|name| pending.is_some() && has_joined_form(name)) {
                joined.push(number);
            }
            pending = hook.map(|name| Announced { address: frame.value(RDI), size: size(name, frame) });
        } else if instruction.is_jump()
            || instruction.is_string()
            || pending.is_some_and(|announced| executes(instruction, announced, frame))
        {
            pending = None;
        }
    });
    joined
}

/// The line with its hook renamed, however the call is spelled.
pub(super) fn join(line: &str) -> String {
    line.replacen(HOOK, JOINED, 1)
}

/// Bytes that the hook announces, if known.
pub(super) fn size(hook: &str, frame: &Frame) -> Option<i64> {
    if hook.ends_with("_range") {
        return match frame.value(RSI) {
            Value::Number(size) => Some(size),
            _ => None,
        };
    }
    size_in_name(hook)
}

/// `8` of `__tsan_write8`
pub(super) fn size_in_name(hook: &str) -> Option<i64> {
    let digits = hook.trim_start_matches(|c: char| !c.is_ascii_digit());
    digits.split('_').next().and_then(|n| n.parse().ok())
}

/// May the instruction be the announced access?
fn executes(instruction: &Instruction, announced: Announced, frame: &Frame) -> bool {
    instruction.touched().any(|memory| {
        if memory.segment.is_some() {
            // The stack protector's canary and the thread pointer are nobody's variables.
            return !(memory.base.is_none() && memory.symbol.is_none());
        }
        let address = frame.address(memory);
        if memory.relative && memory.symbol.is_some_and(|symbol| symbol.starts_with(".LC") || symbol.contains("@GOT")) {
            return false;
        }
        match (address, announced.address) {
            (Value::Stack(Some(at)), Value::Stack(Some(start))) => {
                // By whole words: a bit-field is loaded and stored with its neighbours, a pointer's slot is a word.
                at >= start & !(WORD - 1)
                    && announced.size.is_none_or(|size| at < (start + size + WORD - 1) & !(WORD - 1))
            }
            (Value::Stack(_), Value::Stack(_)) => true,
            (Value::Stack(_), Value::Loaded | Value::Symbol) => false,
            (Value::Stack(Some(at)), _) => frame.taken.iter().any(|start| at >= *start),
            _ => true,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn executed_or_not() {
        let check = |text: &str, expected: &[usize]| {
            let lines: Vec<&str> = text.lines().collect();
            assert_eq!(joined_lines(&lines, Syntax::Att), expected, "{text}");
        };
        // A struct copy at -O2, and through pointers kept on the stack at -O0.
        check("call __tsan_write8@PLT\nmovq %rbp, %rdi\ncall __tsan_read8@PLT\nmovq (%rbp), %rax", &[2]);
        check(
            "pushq %rbp\nmovq %rsp, %rbp\nmovq -8(%rbp), %rax\nmovq %rax, %rdi\ncall __tsan_write4\n\
             movq -16(%rbp), %rax\nmovq %rax, %rdi\ncall *__tsan_read4@GOTPCREL(%rip)",
            &[7],
        );
        // Scalars: the access stands between.
        check("call __tsan_read4@PLT\nmovl (%rbx), %eax\ncall __tsan_write4@PLT\nmovl %eax, (%rbx)", &[]);
        // An escaped local, announced and stored directly.
        check(
            "pushq %rbp\nmovq %rsp, %rbp\nleaq -20(%rbp), %rax\nmovq %rax, %rdi\ncall __tsan_write4@PLT\n\
             movl $3, -20(%rbp)\nleaq -20(%rbp), %rax\nmovq %rax, %rdi\ncall __tsan_read4@PLT",
            &[],
        );
        // Something else in between, or another way in.
        check("call __tsan_write8\n.L3:\ncall __tsan_read8", &[]);
        check("call __tsan_write8\ncall f\ncall __tsan_read8", &[]);
        check("call __tsan_write8\n#APP\n#NO_APP\ncall __tsan_read8", &[]);
        check("call __tsan_write8\nrep movsq\ncall __tsan_read8", &[]);
        // A spilled address of a local, which is then stored to directly.
        check(
            "subq $64, %rsp\nleaq 48(%rsp), %rax\nmovq %rax, 24(%rsp)\n.L2:\nmovq 24(%rsp), %rdi\n\
             call __tsan_write8@PLT\nmovq $0, 48(%rsp)\nleaq 56(%rsp), %rdi\ncall __tsan_write8@PLT",
            &[],
        );
        // Debug labels are no way in.
        check("call __tsan_write8\n.LVL7:\ncall __tsan_read8", &[2]);
    }

    #[test]
    fn every_spelling_is_kept() {
        let check = |line: &str, expected: &str| assert_eq!(join(line), expected);
        check("\tcall\t__tsan_write8@PLT", "\tcall\t__gabion_joined_write8@PLT");
        check("\tcall\t*__tsan_read_range@GOTPCREL(%rip)", "\tcall\t*__gabion_joined_read_range@GOTPCREL(%rip)");
        check("\tcallq\t__tsan_volatile_read4", "\tcallq\t__gabion_joined_volatile_read4");
    }
}
