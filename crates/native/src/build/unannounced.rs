//! Accesses that the compiler does not announce, in functions that it did instrument.
//!
//! Neither compiler announces the reading of a struct that is passed by value, gcc not the result that a function
//! builds through its hidden pointer, nor a `__builtin_memcpy` that it expands late, clang no `long double`. So every
//! access of every function is judged: unless it goes to the function's own frame or to memory that nobody writes, its
//! very address must be announced right before it on every way ([`Groups`]), with as many bytes, and as a write if it is
//! one. Which addresses are the same is found out by value numbering ([`flow`]).
//!
//! A function that writes the result it was asked for through its hidden pointer, which it returns, is judged at its
//! calls: see [`Judged::builds`].
//!
//! Deliberately missed: calls of builders through pointers; a load of what an atomic operation of the same function is
//! done on, as clang leaves them beside it.
//!
//! Variables of the own frame whose address has left the function ([`Escapes`]) matter only to programs whose threads
//! touch each other's stacks. What nothing announces of them is noted apart. Where such a variable ends is not known:
//! with gcc, a part that does not hold the address itself is missed.

use std::collections::{BTreeSet, HashSet};

use super::access::{Direction, accesses};
use super::announced::{Access, Announced, Recent};
use super::announcements::announces;
use super::assembly::{Instruction, RAX, RDI, RSI, Syntax};
use super::escapes::Escapes;
use super::exempt::{is_constant, is_exempt};
use super::flow::{Flow, flow};
use super::graph::{Graph, Tables};
use super::groups::Groups;
use super::state::{Context, State};
use super::values::{Nature, Origin, Sum, Values};

/// Counters of coverage and profiling, and guards of static variables, which are the compiler's.
const COUNTERS: [&str; 4] = ["__gcov", "__prof", "__llvm_", "_ZGV"];

/// Text of one function, and what is known of its unit.
pub(super) struct Function<'f, 't> {
    pub(super) name: &'t str,
    pub(super) lines: &'f [&'t str],
    pub(super) syntax: Syntax,
    pub(super) read_only: &'f HashSet<&'t str>,
    pub(super) defined: &'f HashSet<&'t str>,
    pub(super) tables: &'f Tables<'t>,
    pub(super) locals: Locals,
}

/// Which variables of the own frame the compiler announces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Locals {
    /// gcc: those whose address is taken.
    Known,
    /// clang, by our flags: every one.
    All,
}

/// What is found in a function.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Judged<'t> {
    /// Does anything in it announce plain accesses?
    pub(super) instrumented: bool,
    /// Lines that touch what nothing announces.
    pub(super) missed: Vec<usize>,
    /// It builds its result through a hidden pointer without announcing it.
    pub(super) builds: bool,
    /// Functions that were given its own hidden pointer, to build the result for it.
    pub(super) forwards: Vec<&'t str>,
    /// Functions that were given the address of what may be shared first, and in which line.
    pub(super) handed: Vec<(&'t str, usize)>,
    /// Data of other units that only reads go to unannounced, and where: constants, if they say so.
    pub(super) outside: BTreeSet<(&'t str, usize)>,
    /// Lines that touch variables of the own frame that others may know, which nothing announces.
    pub(super) own: Vec<usize>,
    /// Functions that were given the address of such a variable first, and in which line.
    pub(super) lent: Vec<(&'t str, usize)>,
    /// Lines that announce what is in the own frame, of which nobody else knows.
    pub(super) needless: Vec<usize>,
}

/// Judges one function. Data of other units that it only reads, unannounced, is taken for constant.
pub(super) fn judge<'t>(function: &Function<'_, 't>) -> Judged<'t> {
    if is_exempt(function.name) && function.locals == Locals::Known {
        return Judged::default();
    }
    let judged = judge_once(function);
    if is_exempt(function.name) {
        return Judged { needless: judged.needless, ..Judged::default() };
    }
    if judged.outside.is_empty() {
        return judged;
    }
    let assumed = function.read_only.iter().chain(judged.outside.iter().map(|(symbol, _)| symbol)).copied().collect();
    Judged { outside: judged.outside, ..judge_once(&Function { read_only: &assumed, ..*function }) }
}

fn judge_once<'t>(function: &Function<'_, 't>) -> Judged<'t> {
    let graph = Graph::of(function.lines, function.syntax, function.tables);
    let constant = |symbol: &str| {
        is_constant(symbol, function.read_only) || COUNTERS.iter().any(|start| symbol.starts_with(start))
    };
    let mut context = Context { values: Values::default(), escaped: Default::default(), is_constant: &constant };
    let Some(flow) = flow(&graph, &mut context) else {
        return Judged { instrumented: true, missed: vec![0], ..Judged::default() };
    };
    let mut announced = Announced::default();
    replay(&graph, &flow, &mut context, |step, instruction, state, context| {
        announced.hook(instruction, state);
        announced.table(step, instruction, state, context);
    });
    let mut groups = Groups::new(&graph);
    replay(&graph, &flow, &mut context, |step, instruction, state, context| {
        let touched = if graph.steps[step].inline { Vec::new() } else { touched(instruction, state, context) };
        groups.note(step, instruction, &touched, state, context);
    });
    let mut judged = Judged { instrumented: announced.any, ..Judged::default() };
    let mut through_result = Vec::new();
    let mut returns_first = false;
    let first = context.values.shared(Origin::Entry(RDI));
    let mut written = HashSet::new();
    let escapes = Escapes::of(&graph, &flow, &mut context);
    let mut recent = Recent::default();
    let starts: HashSet<usize> = graph.blocks.iter().map(|block| block.start).collect();
    replay(&graph, &flow, &mut context, |step, instruction, state, context| {
        let line = graph.steps[step].line;
        if starts.contains(&step) {
            recent = Recent::default();
        }
        recent.call(instruction, state);
        for access in touched(instruction, state, context) {
            if graph.steps[step].inline {
                break;
            }
            match context.values.nature(&access.address) {
                Nature::Shared
                    if !(announced.is_atomic(&access) || groups.cover(step, &access, &graph, &flow, context)) =>
                {
                    if access.address.base() == first {
                        through_result.push(line)
                    } else {
                        judged.missed.push(line)
                    }
                    if let Some(symbol) = outside(&access.address, function, context) {
                        judged.outside.insert((symbol, line));
                        written.extend((access.direction == Direction::Write).then_some(symbol));
                    }
                }
                Nature::Private if !recent.covers(&access, &announced) => {
                    let spilled = ["Spill", "Reload"].iter().any(|word| function.lines[line].ends_with(word));
                    // What is announced elsewhere is a variable that has an address.
                    let elsewhere = announced.covers_directly(&Access { direction: Direction::Read, ..access });
                    let known = |escaped| elsewhere || reaches(&access, &escaped, function.locals, context);
                    judged.own.extend((!spilled && escapes.before(step).any(known)).then_some(line));
                }
                _ => {}
            }
        }
        returns_first |= instruction.is_return() && state.value(RAX) == first;
        judged.call(line, instruction, state, first, context);
        judged.lend(step, line, instruction, state, &escapes);
        let hook = hook(instruction).filter(|name| !name.contains("volatile") && !name.contains("vptr"));
        let own = || context.values.nature(&state.value(RDI)) == Nature::Private;
        if hook.is_some() && function.locals == Locals::All && !escapes.any() && own() {
            judged.needless.push(line);
        }
    });
    judged.own.dedup();
    judged.outside.retain(|(symbol, _)| !written.contains(symbol));
    judged.builds = returns_first && !through_result.is_empty();
    if !judged.builds {
        judged.missed.extend(through_result);
        judged.missed.sort_unstable();
    }
    judged.missed.dedup();
    judged
}

impl<'t> Judged<'t> {
    /// Notes whom the call or the jump out of the function gives which first argument.
    fn call(&mut self, line: usize, instruction: &Instruction<'t>, state: &State, first: Sum, context: &Context) {
        let leaves = instruction.is_call() || instruction.mnemonic.starts_with("jmp");
        let named =
            instruction.target().filter(|name| leaves && !name.starts_with(['.', '*']) && !name.starts_with("__tsan_"));
        let Some(name) = named.filter(|name| !is_exempt(name)) else { return };
        let argument = state.value(RDI);
        if argument == first {
            self.forwards.push(name);
        } else if argument.as_number().is_none() && context.values.nature(&argument) == Nature::Shared {
            self.handed.push((name, line));
        }
    }
}

impl<'t> Judged<'t> {
    /// Notes to whom the call gives a variable of the frame first that others may know.
    fn lend(&mut self, step: usize, line: usize, instruction: &Instruction<'t>, state: &State, escapes: &Escapes) {
        let name = instruction.target().filter(|name| instruction.is_call() && !name.starts_with("__tsan_"));
        let Some(name) = name.filter(|name| !is_exempt(name)) else { return };
        let argument = state.value(RDI);
        if escapes.before(step).any(|escaped| escaped == argument) {
            self.lent.push((name, line));
        }
    }
}

/// The data of another unit that an address is in.
fn outside<'t>(address: &Sum, function: &Function<'_, 't>, context: &Context<'_, 't>) -> Option<&'t str> {
    address.terms().filter(|(_, factor)| *factor == 1).find_map(|(id, _)| match context.values.origin(id) {
        Origin::Symbol(name) if !name.contains('@') && !function.defined.contains(name) => Some(name),
        _ => None,
    })
}

/// May an access to the frame be to the variable that an address is of? Where it ends is not known. gcc leaves
/// alone whatever has no address, so only what touches the very address counts; clang only what is no variable.
fn reaches(access: &Access, escaped: &Sum, locals: Locals, context: &Context) -> bool {
    let (at, end) = (access.address.offset, access.address.offset.saturating_add(access.size));
    let above = |offset: i64| offset >= 0; // the caller's
    context.values.frame(&access.address) == context.values.frame(escaped)
        && end > escaped.offset
        && match locals {
            Locals::Known => at <= escaped.offset,
            Locals::All => above(at) == above(escaped.offset),
        }
}

/// The hook that is called, if it announces a plain access.
fn hook<'t>(instruction: &Instruction<'t>) -> Option<&'t str> {
    instruction.target().filter(|name| instruction.is_call() && announces(name))
}

/// Visits every instruction with the state before it.
fn replay<'t>(
    graph: &Graph<'t>,
    flow: &Flow,
    context: &mut Context<'_, 't>,
    mut visit: impl FnMut(usize, &Instruction<'t>, &State, &mut Context<'_, 't>),
) {
    for (block, states) in graph.blocks.iter().zip(&flow.states) {
        let Some((before, _)) = states else { continue };
        let mut state = before.clone();
        for step in block.start..block.end {
            let instruction = &graph.steps[step].instruction;
            visit(step, instruction, &state, context);
            state.follow(step, instruction, context);
        }
    }
}

fn touched<'t>(instruction: &Instruction<'t>, state: &State, context: &mut Context<'_, 't>) -> Vec<Access> {
    let mut found = Vec::new();
    if instruction.is_string() {
        let size = state.string_size(instruction).unwrap_or(i64::MAX);
        let one = |register, direction| Access { address: state.value(register), size, direction };
        let reads = !instruction.mnemonic.starts_with("stos");
        found.push(one(RDI, Direction::Write));
        found.extend(reads.then(|| one(RSI, Direction::Read)));
    } else {
        for (memory, direction, size) in accesses(instruction) {
            // The stack protector's canary and the thread pointer are nobody's variables.
            let own = memory.segment.is_some() && memory.base.is_none() && memory.symbol.is_none();
            if !own {
                found.push(Access { address: state.address(memory, context), size, direction });
            }
        }
    }
    let calls = instruction.is_call() || instruction.is_jump();
    found.retain(|access| {
        context.values.nature(&access.address) != Nature::Constant
            && !(calls && state.is_own_table(&access.address, context))
    });
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(text: &str, syntax: Syntax) -> Judged<'_> {
        judged_with(text, syntax, Locals::Known)
    }

    fn judged_with(text: &str, syntax: Syntax, locals: Locals) -> Judged<'_> {
        let lines: Vec<&str> = text.lines().collect();
        let (read_only, defined, tables) = (HashSet::from(["table"]), HashSet::from(["x"]), Tables::of(&lines));
        let defined = &defined;
        judge(&Function { name: "f", lines: &lines, syntax, read_only: &read_only, defined, tables: &tables, locals })
    }

    #[test]
    fn an_access_needs_an_announcement_of_its_address() {
        let check = |text: &str, expected: &[usize]| assert_eq!(judged(text, Syntax::Att).missed, expected, "{text}");
        // As announced, by another register, further on, more than announced, read but written.
        check("movq %rsi, %rdi\ncall __tsan_read8@PLT\nmovq (%rsi), %rax\nret", &[2]);
        check("movq %rsi, %rbx\nmovq %rbx, %rdi\ncall __tsan_read8@PLT\nmovq (%rbx), %rax\nret", &[]);
        check("movq %rsi, %rbx\nleaq 8(%rbx), %rdi\ncall __tsan_read8\nmovq (%rbx), %rax\nret", &[3]);
        check("movq %rsi, %rbx\nmovq %rbx, %rdi\ncall __tsan_read8\nmovups (%rbx), %xmm0\nret", &[3]);
        check("movq %rsi, %rbx\nmovq %rbx, %rdi\ncall __tsan_read8\nmovq $0, (%rbx)\nret", &[3]);
        check("movq %rsi, %rbx\nmovq %rbx, %rdi\ncall __tsan_write8\naddl $1, 4(%rbx)\nret", &[]);
        // An element, its address computed twice; a symbol; the frame; a constant; the stack protector.
        check(
            "movq %rsi, %rbx\nmovslq %edx, %rbp\nleaq 4(%rbx,%rbp,8), %rdi\ncall __tsan_read4\n\
             salq $3, %rbp\naddq %rbp, %rbx\nmovl 4(%rbx), %eax\nret",
            &[],
        );
        check("leaq x+4(%rip), %rdi\ncall __tsan_read4\nmovl x+4(%rip), %eax\nmovl x(%rip), %ecx\nret", &[3]);
        check("call __tsan_func_entry\npushq %rbp\nmovq %rsp, %rbp\nmovl -20(%rbp), %eax\nmovl (%rsp), %eax", &[]);
        check("movslq %edi, %rax\nleaq table(%rip), %rcx\nmovl (%rcx,%rax,4), %eax\nmovq %fs:40, %rdx\nret", &[]);
        // Through a slot of the frame, and what a call may have put there.
        let slot = "subq $24, %rsp\nmovq %rsi, 8(%rsp)\nmovq 8(%rsp), %rdi\ncall __tsan_write4\n";
        check(&format!("{slot}movq 8(%rsp), %rax\nmovl $1, (%rax)"), &[]);
        check(&format!("{slot}leaq 8(%rsp), %rdi\ncall g\nmovq 8(%rsp), %rax\nmovl $1, (%rax)"), &[7]);
    }

    #[test]
    fn an_announcement_is_for_what_follows_it() {
        let check = |text: &str, expected: &[usize]| assert_eq!(judged(text, Syntax::Att).missed, expected, "{text}");
        let hook = |what: &str, at: i64| format!("leaq {at}(%rbx), %rdi\ncall __tsan_{what}8\n");
        let start = format!("movq %rsi, %rbx\n{}", hook("write", 0));
        let [second, read] = [hook("write", 8), hook("read", 8)];
        // A group; an access or a call between; the entry of a function is none.
        check(&format!("{start}{second}movups %xmm0, (%rbx)\nret"), &[]);
        check(&format!("{start}movq $1, (%rbx)\n{second}movq $1, 8(%rbx)\nmovups (%rbx), %xmm0\nret"), &[7]);
        check(&format!("{start}movq $1, 8(%rcx)\n{second}movq $1, (%rbx)\nret"), &[3, 6]);
        check(&format!("{start}call g\nmovq $1, (%rbx)\nret"), &[4]);
        check(&format!("{start}call __tsan_func_entry\nmovq $1, (%rbx)\nret"), &[]);
        // Twice: read, written and read, written; not an update, nor pieces that overlap.
        check(&format!("movq %rsi, %rbx\n{read}movq 8(%rbx), %rax\nmovq 8(%rbx), %rcx\nret"), &[4]);
        check(&format!("{start}movq $1, (%rbx)\nmovq (%rbx), %rcx\nret"), &[4]);
        check(&format!("{start}movq $1, (%rbx)\nmovl $1, 4(%rbx)\nret"), &[4]);
        check(&format!("{start}movl (%rbx), %eax\norl $1, %eax\nmovl %eax, (%rbx)\nret"), &[]);
        check(&format!("{start}movl $1, (%rbx)\nmovl $1, 3(%rbx)\nret"), &[]);
        // On one of two ways, before a loop.
        check(&format!("movq %rsi, %rbx\nje .L1\n{read}.L1:\nmovq 8(%rbx), %rax\nret"), &[5]);
        check(&format!("movq %rsi, %rbx\n{read}.L1:\nmovq 8(%rbx), %rax\nje .L1\nret"), &[4]);
        // gcc announces the bytes of a bit-field only.
        let field = "movq %rsi, %rbx\nleaq 9(%rbx), %rdi\nmovl $2, %esi\ncall __tsan_read_range\n";
        check(&format!("{field}movl 8(%rbx), %eax\nret"), &[]);
        check(&format!("{field}movl 4(%rbx), %eax\nret"), &[4]);
    }

    #[test]
    fn ways_and_loops() {
        let check = |text: &str, expected: &[usize]| assert_eq!(judged(text, Syntax::Att).missed, expected, "{text}");
        // Announced on both ways to where they meet, or only on one.
        let both = "movq %rsi, %rbx\ntestl %edx, %edx\nje .L1\nmovq %rcx, %rbx\nmovq %rbx, %rdi\ncall __tsan_write4\n\
                    jmp .L2\n.L1:\nmovq %rbx, %rdi\ncall __tsan_write4\n.L2:\nmovl $1, (%rbx)\nret";
        check(both, &[]);
        check(&both.replace("movq %rbx, %rdi\ncall __tsan_write4\n.L2", ".L2"), &[9]);
        // A pointer and an index that move in step; a list.
        check(
            "movq %rsi, %rbx\nmovq %rsi, %r12\nxorl %ebp, %ebp\n.L1:\nmovq %rbx, %rdi\ncall __tsan_read8\n\
             movq (%r12,%rbp,2), %rax\naddq $8, %rbx\naddq $4, %rbp\ncmpq %rbp, %r13\njne .L1\nret",
            &[],
        );
        check(
            "movq %rsi, %rbx\n.L1:\nleaq 8(%rbx), %rdi\ncall __tsan_read8\nmovq 8(%rbx), %rbx\ntestq %rbx, %rbx\n\
             jne .L1\nret",
            &[],
        );
        // A pointer and a counter of 32 bits; the same, but the announcement belongs to another access.
        let counted = "leaq x+16(%rip), %rbp\nmovl $5, %ebx\nleaq -16(%rbp), %r12\n.L1:\nmovq %rbp, %rdi\nsubl $1, %ebx\n\
                       call __tsan_read4\nmovslq %ebx, %rax\nmovl (%r12,%rax,4), %eax\n";
        check(&format!("{counted}subq $4, %rbp\njne .L1\nret"), &[]);
        check(&format!("{counted}movl (%rbp), %ecx\nsubq $4, %rbp\njne .L1\nret"), &[8]);
        // What was announced before the loop is not what the loop comes to.
        check(
            "movq %rsi, %rbx\nmovq %rbx, %rdi\ncall __tsan_read8\n.L1:\nmovq (%rbx), %rbx\ntestq %rbx, %rbx\n\
             jne .L1\nret",
            &[4],
        );
    }

    #[test]
    fn results_belong_to_the_caller() {
        let build = "movq %rdi, %rbx\nleaq x(%rip), %rdi\ncall __tsan_read8\nmovq x(%rip), %rax\n\
                     movq %rax, 8(%rbx)\nmovq %rbx, %rax\nret";
        let found = judged(build, Syntax::Att);
        assert!(found.builds && found.instrumented && found.missed.is_empty(), "{found:?}");
        let found = judged(build.strip_suffix("movq %rbx, %rax\nret").expect("its end"), Syntax::Att);
        assert!(!found.builds && found.missed == [4], "{found:?}");
        let call = "leaq x(%rip), %rdi\ncall g\nmovq %rsp, %rdi\ncall h\nret";
        assert_eq!(judged(call, Syntax::Att).handed, [("g", 1)]);
        assert_eq!(judged("jmp g", Syntax::Att).forwards, ["g"]);
    }

    #[test]
    fn variables_of_the_frame_that_others_know() {
        let check = |text: &str, locals, own: &[usize], needless: &[usize]| {
            let found = judged_with(text, Syntax::Att, locals);
            assert_eq!((found.own.as_slice(), found.needless.as_slice()), (own, needless), "{text}");
        };
        // Nobody knows it: what clang announces is left out. Known before, from then on, on one way, in a loop.
        let hook = "leaq 16(%rsp), %rdi\ncall __tsan_write8";
        check(&format!("subq $40, %rsp\n{hook}\nmovq $1, 16(%rsp)\nret"), Locals::All, &[], &[2]);
        check(&format!("subq $40, %rsp\n{hook}\nmovq $1, 16(%rsp)\nret"), Locals::Known, &[], &[]);
        let given = "subq $40, %rsp\nmovq $1, 16(%rsp)\nleaq 8(%rsp), %rdi\ncall g\n";
        check(&format!("{given}{hook}\nmovq $1, 16(%rsp)\nret"), Locals::All, &[], &[]);
        check(&format!("{given}movq $1, 16(%rsp)\nmovq %rbx, 24(%rsp) # 8-byte Spill\nret"), Locals::All, &[4], &[]);
        check(&format!("{given}movq $1, 16(%rsp)\nmovq 8(%rsp), %rax\nret"), Locals::Known, &[5], &[]);
        check(&format!("{given}movq $1, (%rsp)\nret"), Locals::All, &[], &[]);
        check(
            &format!("subq $40, %rsp\nje .L1\nleaq 16(%rsp), %rdi\ncall g\n.L1:\nmovq 16(%rsp), %rax\n{hook}\nret"),
            Locals::All,
            &[], // perhaps announced on the way
            &[],
        );
        check("subq $40, %rsp\n.L1:\nmovq $1, (%rsp)\nmovq %rsp, %rdi\ncall g\njmp .L1", Locals::Known, &[2], &[]);
        // Stored, chosen, put into a vector register: gone.
        let kept =
            |text: &str| check(&format!("subq $40, %rsp\nleaq 8(%rsp), %rax\n{text}\n{hook}"), Locals::All, &[], &[]);
        kept("movq %rax, x(%rip)");
        kept("movq %rax, (%rsp)");
        kept("cmovneq %rax, %rbx");
        kept("movq %rax, %xmm0");
        kept("movq %rax, %rsi\ncall __tsan_atomic64_store");
        kept("movq %rax, %rdi\ncall memset\nmovq %rax, %rdi\ncall g");
        check(&format!("subq $40, %rsp\nleaq 8(%rsp), %rdi\ncall memset\n{hook}"), Locals::All, &[], &[4]);
        kept("je .L1\nmovq %rbx, %rax\n.L1:\nmovq %rax, %rsi");
        check(&format!("subq $40, %rsp\nleaq 8(%rsp), %rax\n{hook}"), Locals::All, &[], &[3]);
    }

    #[test]
    fn data_of_other_units() {
        let found = judged("movl y+4(%rip), %eax\nmovl x(%rip), %ecx\nret", Syntax::Att);
        assert_eq!((found.missed, found.outside), (vec![1], BTreeSet::from([("y", 0)])));
        let found = judged("movl y+4(%rip), %eax\nmovl $1, y(%rip)\nret", Syntax::Att);
        assert_eq!((found.missed, found.outside), (vec![0, 1], BTreeSet::new()));
    }

    #[test]
    fn both_spellings_are_judged() {
        let text = "mov rbx, rsi\nlea rdi, [rbx+8]\ncall __tsan_read4\nmov eax, DWORD PTR [rbx+8]\n\
                    mov rcx, QWORD PTR [rbx + 8]\nret";
        assert_eq!(judged(text, Syntax::Intel).missed, [4]);
    }
}
