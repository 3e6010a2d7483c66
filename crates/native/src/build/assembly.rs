//! Just enough of the assembly language that gcc and clang write for x86-64 (AT&T and Intel spelling) to see which
//! memory an instruction touches.
//!
//! Not an assembler: what it does not understand becomes [`Operand::Other`], and its users then assume the worse.

/// How operands are spelled; `.intel_syntax` and `.att_syntax` switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Syntax {
    Att,
    Intel,
}

/// A general register, whatever part of it was named; numbered as the machine does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Register(pub(super) u8);

pub(super) const RAX: Register = Register(0);
pub(super) const RSP: Register = Register(4);
pub(super) const RBP: Register = Register(5);
pub(super) const RSI: Register = Register(6);
pub(super) const RDI: Register = Register(7);
/// Registers a call may change.
pub(super) const CALLER_SAVED: [Register; 9] =
    [RAX, Register(1), Register(2), RSI, RDI, Register(8), Register(9), Register(10), Register(11)];

/// A memory operand.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Memory<'t> {
    /// `fs` or `gs`.
    pub(super) segment: Option<&'t str>,
    pub(super) base: Option<Register>,
    pub(super) index: Option<Register>,
    /// What the index is multiplied by.
    pub(super) scale: i64,
    pub(super) displacement: i64,
    pub(super) symbol: Option<&'t str>,
    /// Relative to the instruction pointer.
    pub(super) relative: bool,
    /// Bytes, where the operand itself says so (`DWORD PTR`).
    pub(super) size: Option<i64>,
}

/// An operand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Operand<'t> {
    Register(Register),
    Number(i64),
    Memory(Memory<'t>),
    /// A vector register, an immediate symbol, a jump target, something not understood.
    Other(&'t str),
}

/// An instruction; operands in AT&T order, the destination last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Instruction<'t> {
    /// `lock`, `rep`, …
    pub(super) prefixes: Vec<&'t str>,
    pub(super) mnemonic: &'t str,
    pub(super) operands: Vec<Operand<'t>>,
    /// Bytes of the last general register among the operands.
    pub(super) width: Option<i64>,
}

/// A statement of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Statement<'t> {
    Label(&'t str),
    /// With its leading dot, and the rest of the line.
    Directive(&'t str, &'t str),
    Instruction(Instruction<'t>),
}

/// The statements of one line, without its comment.
pub(super) fn statements(line: &str, syntax: Syntax) -> Vec<Statement<'_>> {
    let mut found = Vec::new();
    // `rep;movsq (%rsi), %es:(%rdi)` is clang's spelling of one instruction.
    let mut prefixes = Vec::new();
    for part in split_outside(line, ';', true) {
        let mut rest = part.trim();
        while let Some((label, after)) = label(rest) {
            found.push(Statement::Label(label));
            rest = after.trim();
        }
        if rest.starts_with('.') {
            let (name, arguments) = rest.split_once([' ', '\t']).unwrap_or((rest, ""));
            found.push(Statement::Directive(name, arguments.trim()));
        } else if !rest.is_empty() {
            let mut instruction = instruction(rest, syntax);
            prefixes.append(&mut instruction.prefixes);
            if !instruction.mnemonic.is_empty() {
                instruction.prefixes = std::mem::take(&mut prefixes);
                found.push(Statement::Instruction(instruction));
            }
        }
    }
    found
}

/// Splits at a separator outside quotes and brackets; a `#` outside quotes ends the text if comments may occur.
pub(super) fn split_outside(text: &str, separator: char, comments: bool) -> Vec<&str> {
    let (mut parts, mut start, mut depth) = (Vec::new(), 0, 0i32);
    let (mut quoted, mut escaped) = (false, false);
    let mut end = text.len();
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            _ if quoted => {}
            '#' if comments => {
                end = at;
                break;
            }
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            _ if c == separator && depth <= 0 => {
                parts.push(&text[start..at]);
                start = at + c.len_utf8();
            }
            _ => {}
        }
    }
    parts.push(&text[start..end]);
    parts
}

/// A label at the front: a name, quoted or not, and a colon right after it.
pub(super) fn label(text: &str) -> Option<(&str, &str)> {
    if let Some(quoted) = text.strip_prefix('"') {
        let (name, after) = quoted.split_once('"')?;
        return Some((name, after.strip_prefix(':')?));
    }
    let end = text.find(|c: char| !(c.is_alphanumeric() || "_.$@".contains(c)))?;
    let after = text[end..].strip_prefix(':')?;
    (end > 0).then_some((&text[..end], after))
}

const PREFIXES: [&str; 11] =
    ["lock", "rep", "repe", "repz", "repne", "repnz", "notrack", "bnd", "data16", "xacquire", "xrelease"];

fn instruction(text: &str, syntax: Syntax) -> Instruction<'_> {
    let mut prefixes = Vec::new();
    let mut rest = text;
    loop {
        let (word, after) = rest.split_once([' ', '\t']).unwrap_or((rest, ""));
        if PREFIXES.contains(&word) {
            prefixes.push(word);
            rest = after.trim_start();
            continue;
        }
        // Encoding hints: `{evex} vmovd …`
        if word.starts_with('{') && word.ends_with('}') {
            rest = after.trim_start();
            continue;
        }
        let operands = after.trim();
        let mut parts = if operands.is_empty() { Vec::new() } else { split_outside(operands, ',', false) };
        if syntax == Syntax::Intel {
            parts.reverse();
        }
        let width = parts.iter().rev().find_map(|part| width(part.trim().trim_start_matches('%')));
        let operands = parts.into_iter().map(|part| operand(part.trim(), syntax)).collect();
        return Instruction { prefixes, mnemonic: word, operands, width };
    }
}

fn operand(text: &str, syntax: Syntax) -> Operand<'_> {
    match syntax {
        Syntax::Att => att(text),
        Syntax::Intel => intel(text),
    }
}

fn att(text: &str) -> Operand<'_> {
    if let Some(immediate) = text.strip_prefix('$') {
        return number(immediate).map_or(Operand::Other(text), Operand::Number);
    }
    let text = text.strip_prefix('*').unwrap_or(text);
    let (segment, inner) = match text.strip_prefix('%').and_then(|t| t.split_once(':')) {
        Some((segment, inner)) => (Some(segment), inner),
        None => (None, text),
    };
    if segment.is_none()
        && let Some(name) = inner.strip_prefix('%')
    {
        return general(name).map_or(Operand::Other(text), Operand::Register);
    }
    let (front, registers) = match inner.rfind('(') {
        Some(open) if inner.ends_with(')') => (&inner[..open], &inner[open + 1..inner.len() - 1]),
        _ => (inner, ""),
    };
    let mut memory = Memory { segment, scale: 1, ..Memory::default() };
    let mut names = registers.split(',').map(|name| name.trim().trim_start_matches('%'));
    let base = names.next().unwrap_or("");
    memory.relative = base == "rip" || base == "eip";
    memory.base = general(base);
    memory.index = names.next().and_then(general);
    memory.scale = names.next().and_then(number).unwrap_or(1);
    displacement(front.trim(), &mut memory);
    Operand::Memory(memory)
}

fn intel(text: &str) -> Operand<'_> {
    if let Some(register) = general(text) {
        return Operand::Register(register);
    }
    if let Some(value) = number(text) {
        return Operand::Number(value);
    }
    let sized = text.find(" PTR ").or_else(|| text.find(" ptr ")).map(|at| &text[at + 5..]);
    let inner = sized.unwrap_or(text).trim();
    if sized.is_none() && !inner.contains('[') || inner.starts_with("OFFSET") {
        return Operand::Other(text);
    }
    let size = sized.and_then(|_| text.split_whitespace().next()).and_then(|word| {
        let known = SIZES.iter().find(|(name, _)| name.eq_ignore_ascii_case(word));
        known.map(|(_, bytes)| *bytes)
    });
    let mut memory = Memory { size, scale: 1, ..Memory::default() };
    let mut rest = inner;
    if let Some((segment, after)) = inner.split_once(':')
        && ["fs", "gs", "ds", "es", "ss", "cs"].contains(&segment)
    {
        memory.segment = Some(segment);
        rest = after;
    }
    // `x[rip+4]`, `[rbp-8]`, `table[0+rax*4]`: terms are what stands between the signs and brackets.
    let mut from = 0;
    let mut negative = false;
    for (at, c) in rest.char_indices().chain([(rest.len(), ']')]) {
        if !"[]+-".contains(c) {
            continue;
        }
        term(rest[from..at].trim(), negative, &mut memory);
        negative = c == '-';
        from = (at + 1).min(rest.len());
    }
    Operand::Memory(memory)
}

/// How Intel's spelling says how much is touched.
const SIZES: [(&str, i64); 8] = [
    ("BYTE", 1),
    ("WORD", 2),
    ("DWORD", 4),
    ("QWORD", 8),
    ("TBYTE", 10),
    ("XMMWORD", 16),
    ("YMMWORD", 32),
    ("ZMMWORD", 64),
];

fn term<'t>(text: &'t str, negative: bool, memory: &mut Memory<'t>) {
    // gcc writes `rax*4`, clang `4*rax`.
    let scaled = text.split_once('*').and_then(|(a, b)| {
        let (register, by) = if general(a).is_some() { (a, b) } else { (b, a) };
        Some((general(register)?, number(by)?))
    });
    match (text, scaled, general(text), number(text)) {
        ("", ..) => {}
        ("rip", ..) => memory.relative = true,
        (_, Some((index, by)), ..) => (memory.index, memory.scale) = (Some(index), by),
        (_, _, Some(register), _) if memory.base.is_none() => memory.base = Some(register),
        (_, _, Some(register), _) => memory.index = Some(register),
        (.., Some(value)) => memory.displacement += if negative { -value } else { value },
        _ => memory.symbol = Some(text),
    }
}

/// `-20`, `x`, `x+4`, `1+x`, `x@GOTPCREL`
fn displacement<'t>(text: &'t str, memory: &mut Memory<'t>) {
    let (mut from, mut negative) = (0, false);
    for (at, c) in text.char_indices().chain([(text.len(), '+')]) {
        if c != '+' && c != '-' {
            continue;
        }
        match text[from..at].trim() {
            "" => {}
            part => match number(part) {
                Some(value) => memory.displacement += if negative { -value } else { value },
                None => memory.symbol = Some(part),
            },
        }
        (from, negative) = ((at + 1).min(text.len()), c == '-');
    }
}

fn number(text: &str) -> Option<i64> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    let value = match digits.strip_prefix("0x") {
        Some(hexadecimal) => u64::from_str_radix(hexadecimal, 16).ok()? as i64,
        None => digits.parse::<u64>().ok()? as i64,
    };
    Some(if negative { value.wrapping_neg() } else { value })
}

fn general(name: &str) -> Option<Register> {
    const NAMES: [[&str; 5]; 8] = [
        ["rax", "eax", "ax", "al", "ah"],
        ["rcx", "ecx", "cx", "cl", "ch"],
        ["rdx", "edx", "dx", "dl", "dh"],
        ["rbx", "ebx", "bx", "bl", "bh"],
        ["rsp", "esp", "sp", "spl", ""],
        ["rbp", "ebp", "bp", "bpl", ""],
        ["rsi", "esi", "si", "sil", ""],
        ["rdi", "edi", "di", "dil", ""],
    ];
    if name.is_empty() {
        return None;
    }
    if let Some(at) = NAMES.iter().position(|parts| parts.contains(&name)) {
        return Some(Register(at as u8));
    }
    let digits = name.strip_prefix('r')?.trim_end_matches(['d', 'w', 'b']);
    digits.parse().ok().filter(|n| (8..16).contains(n)).map(Register)
}

/// Bytes of a general register, by its name.
fn width(name: &str) -> Option<i64> {
    general(name)?;
    let extended = name.starts_with(['r', 'R']) && name[1..].starts_with(|c: char| c.is_ascii_digit());
    Some(match (name.chars().next()?, name.chars().last()?) {
        (_, 'd') if extended => 4,
        (_, 'w') if extended => 2,
        (_, 'b') if extended => 1,
        ('r', _) => 8,
        ('e', _) => 4,
        (_, 'l' | 'h') => 1,
        _ => 2,
    })
}

impl<'t> Instruction<'t> {
    /// Memory operands that are really read or written.
    pub(super) fn touched(&self) -> impl Iterator<Item = &Memory<'t>> {
        let only_named = ["lea", "nop", "prefetch", "endbr"].iter().any(|name| self.mnemonic.starts_with(name))
            || self.is_jump()
            || self.is_call();
        self.operands.iter().filter(move |_| !only_named).filter_map(|operand| match operand {
            Operand::Memory(memory) => Some(memory),
            _ => None,
        })
    }

    /// `rep movsb` and its like, which touch memory without naming it.
    pub(super) fn is_string(&self) -> bool {
        let Some(stem) = self.mnemonic.strip_suffix(['b', 'w', 'l', 'd', 'q']) else { return false };
        ["movs", "stos", "lods", "scas", "cmps", "ins", "outs"].contains(&stem)
            && !self.operands.iter().any(|operand| matches!(operand, Operand::Other(_)))
            && (self.operands.is_empty() || self.prefixes.iter().any(|prefix| prefix.starts_with("rep")))
    }

    pub(super) fn is_call(&self) -> bool {
        self.mnemonic == "call" || self.mnemonic == "callq"
    }

    /// Any jump, or a return.
    pub(super) fn is_jump(&self) -> bool {
        (self.mnemonic.starts_with('j') && self.mnemonic != "j")
            || self.is_return()
            || self.mnemonic.starts_with("loop")
    }

    pub(super) fn is_return(&self) -> bool {
        self.mnemonic == "ret" || self.mnemonic == "retq"
    }

    /// The symbol that is called or jumped to, without `@PLT` and the like.
    pub(super) fn target(&self) -> Option<&'t str> {
        let name = match self.operands.first()? {
            Operand::Other(name) => name,
            Operand::Memory(memory) => memory.symbol?,
            _ => return None,
        };
        Some(name.split('@').next().unwrap_or(name).trim_start_matches('*'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_spellings_say_the_same() {
        let check = |att: &str, intel: &str| {
            let mut found = statements(intel, Syntax::Intel);
            for statement in &mut found {
                let Statement::Instruction(instruction) = statement else { continue };
                for operand in &mut instruction.operands {
                    if let Operand::Memory(memory) = operand {
                        memory.size = None; // AT&T says it in the mnemonic
                    }
                }
            }
            assert_eq!(statements(att, Syntax::Att), found, "{att} / {intel}");
        };
        check("movq -8(%rbp), %rax", "movq rax, QWORD PTR [rbp-8]");
        check("lea 4(%rdx,%rax,8), %rdi", "lea rdi, [rdx+4+rax*8]");
        check("movl x+4(%rip), %eax", "movl eax, DWORD PTR x[rip+4]");
        check("movl $3, %esi", "movl esi, 3");
        check("movb 1+x(%rip), %al", "movb al, BYTE PTR x[rip+1]");
        check("sub %fs:40, %rdx", "sub rdx, QWORD PTR fs:40");
        check("lock; incl (%rdi)  # twice", "lock; incl DWORD PTR [rdi] # once");
    }

    #[test]
    fn strings_are_not_vectors() {
        let check = |text: &str, expected: bool| {
            let found = statements(text, Syntax::Att);
            let Some(Statement::Instruction(instruction)) = found.last() else { panic!("{text}") };
            assert_eq!(instruction.is_string(), expected, "{text}");
        };
        check("rep stosq", true);
        check("movsb", true);
        check("rep;movsq (%rsi), %es:(%rdi)", true);
        check("rep movsb (%rsi), (%rdi)", true);
        check("movsd %xmm0, (%rax)", false);
        check("movsbl (%rax), %eax", false);
        check("rep ret", false);
        check("movsd (%rax), %xmm0", false);
    }
}
