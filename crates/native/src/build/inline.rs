//! Inline assembly, which compilers do not instrument.
//!
//! They copy it between `#APP` and `#NO_APP`, gcc with marks (`# 12 "x.c" 1`) that say where it stood, clang after a
//! `.loc`. What touches memory gets hooks around it (`inline_hooks`); where that cannot be done, or it may leave the process, it is a finding.
//! Registers-only code, compiler barriers, fences, `pause`, `cpuid`, `rdtsc` and the stack are neither.

use super::assembly::{Instruction, Memory, Statement, Syntax, label, split_outside, statements};
use super::inline_hooks::with_hooks;
use super::location::Location;
use super::walk::switched;
use std::borrow::Cow;

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

/// Directives of raw bytes.
const RAW: [&str; 10] = [".byte", ".short", ".value", ".word", ".long", ".int", ".quad", ".octa", ".ascii", ".incbin"];

/// Raw bytes that are often written out because old assemblers did not know them: `pause`.
const PAUSE: [&str; 2] = ["0xf3,0x90", "0xf3, 0x90"];

/// Directives that count bytes, make several copies of a text or put a part of it elsewhere, and jumps that reach a few bytes only: nothing may
/// be put between.
const RIGID: [&str; 17] = [
    ".macro",
    ".rept",
    ".irp",
    ".irpc",
    ".skip",
    ".space",
    ".org",
    ".fill",
    ".pushsection",
    ".section",
    ".subsection",
    "loop",
    "loope",
    "loopne",
    "jcxz",
    "jecxz",
    "jrcxz",
];

/// May hooks go into the inline assembly that begins at the first of these lines? Not where a comment or a quoted character could hide what is what.
pub(super) fn takes_hooks(lines: &[&str]) -> bool {
    let mut block = lines.iter().skip(1).take_while(|line| line.trim() != "#NO_APP");
    block.all(|line| {
        let mut words = line.split([' ', '\t', ';', ':']);
        let odd = ["/*", "*/", "//", "'"].iter().any(|sign| line.contains(sign));
        let rigid = |word: &str| {
            RIGID.contains(&word)
                || [".if", ".+", ".-"].iter().any(|begin| word.starts_with(begin))
                || RAW.contains(&word)
        };
        !odd && (PAUSE.iter().any(|pause| line.contains(pause)) || !words.any(rigid))
    })
}

/// What is known of a line.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Seen {
    /// With hooks.
    pub(super) text: Option<String>,
    /// Where it is, if it touches memory all the same.
    pub(super) place: Option<String>,
}

/// Follows the text and says where inline assembly touches memory.
#[derive(Default)]
pub(super) struct Inline {
    inside: bool,
    /// Prefixes that stand before their instruction as statements of their own: hooks go before them.
    prefixes: String,
    /// There were some, and a label after them: with or without them, as control comes.
    torn: bool,
    /// Data directives in a section of their own are no code.
    elsewhere: usize,
    line: Option<String>,
    location: Location,
}

impl Inline {
    /// Looks at one line. `hooks`: they may be put into it.
    pub(super) fn line(&mut self, line: &str, syntax: &mut Syntax, hooks: bool) -> Seen {
        let text = line.trim();
        match text {
            "#APP" => {
                (self.inside, self.elsewhere, self.line) = (true, 0, None);
                return Seen::default();
            }
            "#NO_APP" => {
                self.inside = false;
                let left = std::mem::take(&mut self.prefixes); // of what follows; nobody does that
                let text = (hooks && !left.is_empty()).then(|| format!("{left}; {text}"));
                return Seen { text, place: None };
            }
            _ if self.inside && text.starts_with("# ") => {
                self.line = mark(text).or(self.line.take());
                return Seen::default();
            }
            _ => {}
        }
        if !self.inside {
            self.location.line(text);
            return Seen::default();
        }
        let (mut parts, mut changed, mut found) = (Vec::new(), !self.prefixes.is_empty(), hides(text));
        let line = &without_comments(line);
        for part in split_outside(line, ';', true) {
            let mut rest = part.trim();
            while let Some((_, after)) = label(rest) {
                parts.push(rest[..rest.len() - after.len()].to_owned());
                rest = after.trim();
            }
            let labelled = rest.len() < part.trim().len();
            if (rest.starts_with('.') || labelled) && !self.prefixes.is_empty() {
                let place = if labelled { parts.len() - 1 } else { parts.len() };
                parts.insert(place, std::mem::take(&mut self.prefixes)); // of raw bytes, or not for whoever jumps there
                self.torn |= labelled;
            }
            let whole = format!("{}{rest}", self.prefixes);
            match statements(&whole, *syntax).pop() {
                None if rest.is_empty() => {}
                None => {
                    self.prefixes = format!("{whole} ");
                    changed = true;
                }
                Some(statement) => {
                    if let Statement::Directive(name, _) = statement {
                        *syntax = switched(*syntax, name);
                    }
                    let escapes = self.suspicious(&statement);
                    let torn = std::mem::take(&mut self.torn);
                    let hooked = match &statement {
                        Statement::Instruction(instruction) if escapes && hooks && !torn && *syntax == Syntax::Att => {
                            with_hooks(instruction, &whole)
                        }
                        _ => None,
                    };
                    found |= escapes && hooked.is_none();
                    changed |= hooked.is_some();
                    parts.push(hooked.unwrap_or_else(|| whole.clone()));
                    self.prefixes.clear();
                }
            }
        }
        let text = (changed && hooks).then(|| format!("\t{}", parts.join("; ")));
        Seen { text, place: found.then(|| self.place()) }
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
                let raw = RAW.contains(name);
                raw && self.elsewhere == 0 && !PAUSE.contains(rest)
            }
        }
    }
}

/// The line without comments that end on it.
fn without_comments(line: &str) -> Cow<'_, str> {
    let mut line = Cow::Borrowed(line);
    while let Some((from, to)) =
        line.find("/*").and_then(|from| Some((from, from + 2 + line[from + 2..].find("*/")? + 2)))
    {
        line = Cow::Owned(format!("{} {}", &line[..from], &line[to..]));
    }
    line
}

/// Is there a character, or a comment with a `#` in it? What follows may be hidden, or no statement of its own.
fn hides(text: &str) -> bool {
    let before = text.split('#').next().unwrap_or_default();
    before.contains('\'') || before.len() < text.len() && before.contains("/*") && !before.contains("*/")
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
            let found: Vec<String> =
                text.lines().filter_map(|line| inline.line(line, &mut syntax, false).place).collect();
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

    #[test]
    fn what_gets_hooks_and_what_does_not() {
        // A letter for each hook, in their order, with the number of bytes; `!` where something escapes.
        let hooks = |body: &str| {
            let (mut inline, mut syntax) = (Inline::default(), Syntax::Att);
            let text = format!("#APP\n{body}\n#NO_APP");
            let lines: Vec<&str> = text.lines().collect();
            let may = takes_hooks(&lines);
            let mut told = String::new();
            for line in lines {
                let seen = inline.line(line, &mut syntax, may);
                for call in seen.text.iter().flat_map(|text| text.split("__gabion_assembly_").skip(1)) {
                    let name = call.split('@').next().expect("a name");
                    let bytes = name.trim_start_matches(char::is_alphabetic);
                    told += &format!("{}{bytes}", &name[..1]);
                }
                told += if seen.place.is_some() { "!" } else { "" };
            }
            told
        };
        let check = |body: &str, expected: &str| assert_eq!(hooks(body), expected, "{body}");
        check("\tmovq (%rax), %rbx", "l8");
        check("\tmovl %ebx, x(%rip)", "s4d");
        check("\tmovb $0, 4(%rsp)", "s1d");
        check("\tmov %r9w, (%rax,%rbx,2)", "s2d");
        check("1:\tlock; decb (%rdi)\n\tjns 3f\n2:\tpause\n\tcmpb $0, (%rdi)\n\tjle 2b\n\tjmp 1b\n3:", "u1dl1");
        check("\tlock\n\tincl (%rdi)", "u4d");
        check("\tlock cmpxchgq %rcx, (%rdi)", "u8d");
        check("\tlock cmpxchg16b (%rdi)", "u16d");
        check("\txchgl %eax, (%rdi)", "u4d");
        check("\txchg (%rdi), %al", "u1d");
        check("\tlock; xaddq %rax, (%rdi)", "u8d");
        check("\tlock btsq $3, (%rdi)", "u8d");
        check("\tincq (%rdi)", "l8s8d");
        check("\taddl %eax, 8(%rsp)", "l4s4d");
        check("\taddl 8(%rsp), %eax", "l4");
        check("\tmovzbl (%rdi), %eax; testb %al, %al", "l1");
        check("\tmovslq (%rdi), %rax", "l4");
        check("\tsetne (%rdi)", "s1d");
        check("\tcmovne (%rdi), %rax", "l8");
        check("\tmovdqu (%rdi), %xmm0\n\tmovq %xmm0, (%rsi)", "l16s8d");
        check("\tstmxcsr -4(%rsp)", "s4d");
        // Nobody knows which bytes, or that it is one access, or how to put something between.
        check("\tlock btsq %rax, (%rdi)", "!");
        check("\tcmpxchgq %rcx, (%rdi)", "!");
        check("\tbtsq $3, (%rdi)", "!");
        check("\trep movsb", "!");
        check("\tmovq %fs:0, %rax", "!");
        check("\tvmovdqu (%rdi), %ymm0", "!");
        check("\tpushq (%rdi)", "!");
        check("\tfrobnicate (%rdi)", "!");
        check("\t.intel_syntax noprefix\n\tmov eax, dword ptr [rbx]", "!");
        check("661:\tmovl (%rdi), %eax\n662:\n\t.skip 3", "!");
        check("\t.macro m\n\tmovl (%rdi), %eax\n\t.endm", "!");
        check("\tmovl %eax, 4(%rsp) /* a comment */", "!");
        check("\tmovl $'#', (%rdi)", "!");
        check("\tmovl /* # */ (%rdi), %eax", "!");
        check("\t/* nothing */ # don't", "");
        check("\taddl $';', (%rdi)", "!");
        check("\taddl $'\"', (%rdi); addl $0, (%rsi)", "!");
        check("\tjmp 1f\n\tlock\n1:\tincl (%rdi)", "!");
        check("\tje 0f; lock; 0: incl (%rdi)", "!");
        check("\tlock; 1: 2: incl (%rdi); incl (%rsi)", "l4s4d!");
        check("1:\tmovl (%rdi), %eax\n\tloop 1b", "!");
        check("\t.byte 0xf0; incl (%rdi)", "!");
        check("\tlock; .byte 0x48; cmpxchg8b (%rdi)", "!");
        check("\tjmp .+4; movl (%rdi), %eax", "!");
        check("\tmovq x@gottpoff(%rip), %rax", "!");
        check("\tmovl 8(%rip), %eax", "!");
        check("\tmovl (4*2)(%rsp), %eax", "!");
        check("\tshl %cl, (%rdi)", "!");
        check("\tshll %cl, (%rdi)", "l4s4d");
        check("\t.byte 0xf3,0x90; movl (%rdi), %eax", "l4");
        check("\trep; nop\n\tmfence\n\tleaq (%rdi), %rax", "");
    }

    #[test]
    fn hooks_stand_right_and_leave_the_stack_alone() {
        let hooked = |body: &str| {
            let (mut inline, mut syntax) = (Inline::default(), Syntax::Att);
            inline.line("#APP", &mut syntax, true);
            inline.line(body, &mut syntax, true).text.expect("it has hooks")
        };
        assert_eq!(
            hooked("1:\tlock; decb 4(%rsp) # down"),
            "\t1:; leaq\t-128(%rsp), %rsp; pushq\t%rdi; leaq\t136+4(%rsp), %rdi; \
             call\t*__gabion_assembly_update1@GOTPCREL(%rip); popq\t%rdi; leaq\t128(%rsp), %rsp; lock decb 4(%rsp); \
             leaq\t-128(%rsp), %rsp; call\t*__gabion_assembly_done@GOTPCREL(%rip); leaq\t128(%rsp), %rsp"
        );
        assert_eq!(
            hooked("\taddl\t%eax, (%rsp)"),
            "\tleaq\t-128(%rsp), %rsp; pushq\t%rdx; leaq\t-128(%rsp), %rsp; pushq\t%rdi; leaq\t272(%rsp), %rdi; \
             call\t*__gabion_assembly_load4@GOTPCREL(%rip); popq\t%rdi; leaq\t128(%rsp), %rsp; movl\t136(%rsp), %edx; \
             addl\t%eax, %edx; leaq\t-128(%rsp), %rsp; pushq\t%rdi; leaq\t272(%rsp), %rdi; \
             call\t*__gabion_assembly_store4@GOTPCREL(%rip); popq\t%rdi; leaq\t128(%rsp), %rsp; movl\t%edx, 136(%rsp); \
             leaq\t-128(%rsp), %rsp; call\t*__gabion_assembly_done@GOTPCREL(%rip); leaq\t128(%rsp), %rsp; popq\t%rdx; \
             leaq\t128(%rsp), %rsp"
        );
    }
}
