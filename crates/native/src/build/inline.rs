//! Inline assembly that escapes the instrumentation.
//!
//! Compilers copy it between `#APP` and `#NO_APP`, gcc with marks (`# 12 "x.c" 1`) that say where it stood, clang after a
//! `.loc`. Whatever may touch memory or leave the process is a finding; registers-only code, compiler barriers, fences,
//! `pause`, `cpuid`, `rdtsc` and the stack are not.

use super::assembly::{Instruction, Memory, Statement, Syntax, statements};
use super::location::Location;
use super::walk::switched;

/// Instructions that touch memory or hand over control without a memory operand to show it.
const HIDDEN: [&str; 14] = [
    "syscall",
    "sysenter",
    "int",
    "int3",
    "xlat",
    "xlatb",
    "maskmovq",
    "maskmovdqu",
    "vmaskmovdqu",
    "xbegin",
    "iret",
    "iretq",
    "hlt",
    "ud2",
];

/// Raw bytes that are often written out because old assemblers did not know them: `pause`.
const PAUSE: [&str; 2] = ["0xf3,0x90", "0xf3, 0x90"];

/// Follows the text and says where inline assembly touches memory.
#[derive(Default)]
pub(super) struct Inline {
    inside: bool,
    /// Data directives in a section of their own are no code.
    elsewhere: usize,
    line: Option<String>,
    location: Location,
}

impl Inline {
    /// Looks at one line; `Some` is the place of a finding.
    pub(super) fn line(&mut self, line: &str, syntax: &mut Syntax) -> Option<String> {
        let text = line.trim();
        match text {
            "#APP" => {
                self.inside = true;
                self.elsewhere = 0;
                self.line = None;
                return None;
            }
            "#NO_APP" => {
                self.inside = false;
                return None;
            }
            _ if self.inside && text.starts_with("# ") => {
                self.line = mark(text).or(self.line.take());
                return None;
            }
            _ => {}
        }
        if !self.inside {
            self.location.line(text);
            return None;
        }
        let mut found = false;
        for statement in statements(line, *syntax) {
            if let Statement::Directive(name, _) = statement {
                *syntax = switched(*syntax, name);
            }
            found |= self.suspicious(&statement);
        }
        found.then(|| self.place())
    }

    fn place(&self) -> String {
        self.line.clone().or_else(|| self.location.last.clone()).unwrap_or_else(|| "inline assembly".to_owned())
    }

    fn suspicious(&mut self, statement: &Statement) -> bool {
        match statement {
            Statement::Label(_) => false,
            Statement::Instruction(instruction) => touches(instruction),
            Statement::Directive(name, rest) => {
                match *name {
                    ".pushsection" | ".section" | ".data" | ".bss" if !rest.contains(".text") => self.elsewhere += 1,
                    ".popsection" | ".previous" | ".text" => self.elsewhere = self.elsewhere.saturating_sub(1),
                    _ => {}
                }
                let raw =
                    [".byte", ".short", ".value", ".word", ".long", ".int", ".quad", ".octa", ".ascii", ".incbin"]
                        .contains(name);
                raw && self.elsewhere == 0 && !PAUSE.contains(rest)
            }
        }
    }
}

/// `# 12 "x.c" 1` → `x.c:12`
fn mark(text: &str) -> Option<String> {
    let rest = text.strip_prefix("# ")?;
    let (line, rest) = rest.split_once(' ')?;
    let name = rest.strip_prefix('"')?.split('"').next()?;
    (line.parse::<u32>().is_ok_and(|n| n > 0) && !name.is_empty()).then(|| format!("{name}:{line}"))
}

fn touches(instruction: &Instruction) -> bool {
    // The loader alone writes the table of addresses.
    let of_loader = |memory: &&Memory| memory.symbol.is_some_and(|symbol| symbol.contains("@GOTPCREL"));
    instruction.touched().any(|memory| !of_loader(&memory))
        || instruction.is_string()
        || instruction.is_call()
        || instruction.prefixes.contains(&"lock")
        || HIDDEN.contains(&instruction.mnemonic)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_escapes_and_what_does_not() {
        let check = |body: &str, expected: bool| {
            let (mut inline, mut syntax) = (Inline::default(), Syntax::Att);
            let text = format!("#APP\n# 12 \"x.c\" 1\n{body}\n# 0 \"\" 2\n#NO_APP");
            let found: Vec<String> = text.lines().filter_map(|line| inline.line(line, &mut syntax)).collect();
            let wanted: &[&str] = if expected { &["x.c:12"] } else { &[] };
            assert_eq!(found, wanted, "{body}");
        };
        check("", false);
        check("\tpause", false);
        check("\trep; nop", false);
        check("\tmfence; lfence\n\tsfence", false);
        check("\tcpuid", false);
        check("\taddl %eax, %ebx", false);
        check("\tlea 4(%rax), %rbx", false);
        check("\tmovq x@GOTPCREL(%rip), %rax", false);
        check("\tmovl x(%rip), %eax", true);
        check("\tpushq %rbx; popq %rbx", false);
        check("\t.pushsection .note.x,\"\"; .long 3; .popsection", false);
        check("\tmovl (%rax), %ebx", true);
        check("\tlock; incl x(%rip)", true);
        check("\tsyscall", true);
        check("\trep movsb", true);
        check("\t.byte 0x0f, 0x05", true);
        check("\t.byte 0xf3,0x90", false);
        check("\t.intel_syntax noprefix\n\tmov eax, dword ptr [rbx]", true);
    }
}
