//! Accesses that the compiler does not announce, in functions that it did instrument.
//!
//! Neither compiler announces the reading of a struct that is passed by value, gcc not the result that a function
//! builds through its hidden pointer, nor a `__builtin_memcpy` that it expands late, clang no `long double`. So every
//! access of every function is judged: unless it goes to the function's own frame or to memory that nobody writes, its
//! very address must be announced somewhere in the function, with as many bytes, and as a write if it is one. Which
//! addresses are the same is found out by value numbering ([`flow`]).
//!
//! Where control flow comes together, an access is announced if it is on every way. A function that writes the result
//! it was asked for through its hidden pointer, which it returns, is judged at its calls: see [`Judged::builds`].
//!
//! Deliberately missed: announcement and access of one address in different runs through a loop, or on different ways
//! through the function; unannounced accesses to the own frame that others know (`f(local)` with a struct that a thread
//! was given the address of); calls of builders through pointers.

use std::collections::{HashMap, HashSet};

use super::access::{Direction, accesses};
use super::announcements::{announces, size_in_name};
use super::assembly::{Instruction, Operand, RAX, RDI, RSI, Register, Syntax};
use super::exempt::{is_constant, is_exempt};
use super::flow::{Flow, flow};
use super::graph::{Graph, Tables};
use super::state::{Context, LOADED, State};
use super::values::{Nature, Origin, Sum, Values};

const WORD: i64 = 8;

/// How many joins back an announcement is looked for, and how many ways in all.
const DEPTH: usize = 4;
const WAYS: usize = 64;

/// Counters of coverage and profiling, and guards of static variables, which are the compiler's.
const COUNTERS: [&str; 4] = ["__gcov", "__prof", "__llvm_", "_ZGV"];

/// Text of one function, and what is known of its unit.
pub(super) struct Function<'f, 't> {
    pub(super) name: &'t str,
    pub(super) lines: &'f [&'t str],
    pub(super) syntax: Syntax,
    pub(super) read_only: &'f HashSet<&'t str>,
    pub(super) tables: &'f Tables<'t>,
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
}

/// Judges one function.
pub(super) fn judge<'t>(function: &Function<'_, 't>) -> Judged<'t> {
    if is_exempt(function.name) {
        return Judged::default();
    }
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
        announced.hook(instruction, state, context);
        announced.table(step, instruction, state, context);
    });
    let mut judged = Judged { instrumented: announced.any, ..Judged::default() };
    let mut through_result = Vec::new();
    let mut returns_first = false;
    let first = context.values.shared(Origin::Entry(RDI));
    replay(&graph, &flow, &mut context, |step, instruction, state, context| {
        let line = graph.steps[step].line;
        if !graph.steps[step].inline {
            for access in touched(instruction, state, context) {
                if announced.covers(&access, &graph, &flow, context) {
                    continue;
                }
                if access.address.base() == first { through_result.push(line) } else { judged.missed.push(line) }
            }
        }
        returns_first |= instruction.is_return() && state.value(RAX) == first;
        judged.call(line, instruction, state, first, context);
    });
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

/// An access to what may be shared.
#[derive(Clone, Copy, Debug)]
struct Access {
    address: Sum,
    size: i64,
    direction: Direction,
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
        context.values.nature(&access.address) == Nature::Shared
            && !(calls && state.is_own_table(&access.address, context))
    });
    found
}

/// What a function announces anywhere.
#[derive(Default)]
struct Announced {
    any: bool,
    /// By address without offset: from, to, and how.
    ranges: HashMap<Sum, Vec<(i64, i64, Direction)>>,
    /// Where pointers to virtual tables are.
    tables: HashSet<Sum>,
}

impl Announced {
    fn hook(&mut self, instruction: &Instruction, state: &State, context: &mut Context) {
        let Some(name) = instruction.target().filter(|_| instruction.is_call() || instruction.is_jump()) else {
            return;
        };
        if name.starts_with("__tsan_atomic") {
            self.add(RDI, Some(16), Direction::Write, state, context);
        } else if name.starts_with("__tsan_mem") {
            self.any = true;
        } else if announces(name) {
            self.any = true;
            let size = if name.ends_with("_range") { state.value(RSI).as_number() } else { size_in_name(name) };
            let size = size.or(name.contains("vptr").then_some(WORD));
            let reads = name.contains("read") && !name.contains("write");
            self.add(RDI, size, if reads { Direction::Read } else { Direction::Write }, state, context);
            if name.contains("vptr_read") {
                self.tables.insert(state.value(RDI));
            }
        }
    }

    /// What a pointer to a virtual table points at is written by nobody.
    fn table<'t>(&self, step: usize, instruction: &Instruction<'t>, state: &State, context: &mut Context<'_, 't>) {
        if let ("mov" | "movq", [Operand::Memory(memory), Operand::Register(_)]) =
            (instruction.mnemonic, instruction.operands.as_slice())
            && self.tables.contains(&state.address(memory, context))
        {
            let loaded = context.values.shared(Origin::Made(step, LOADED));
            loaded.single().map(|id| context.values.correct(id, Nature::Constant));
        }
    }

    fn add(&mut self, register: Register, size: Option<i64>, how: Direction, state: &State, context: &mut Context) {
        let address = state.value(register);
        if context.values.nature(&address) == Nature::Private {
            return;
        }
        let end = size.map_or(i64::MAX, |size| address.offset.saturating_add(size));
        self.ranges.entry(address.base()).or_default().push((address.offset, end, how));
    }

    fn covers(&self, access: &Access, graph: &Graph, flow: &Flow, context: &mut Context) -> bool {
        let mut left = WAYS;
        self.covers_ways(access, DEPTH, &mut left, graph, flow, context)
    }

    /// Directly, or on every way to where its address was joined.
    fn covers_ways(
        &self,
        access: &Access,
        depth: usize,
        left: &mut usize,
        graph: &Graph,
        flow: &Flow,
        context: &mut Context,
    ) -> bool {
        if context.values.nature(&access.address) != Nature::Shared || self.covers_directly(access) {
            return true;
        }
        if depth == 0 || *left == 0 {
            return false;
        }
        *left -= 1;
        let terms: Vec<_> = access.address.terms().collect();
        terms.into_iter().any(|(id, factor)| {
            let ways = flow.ways(context.values.origin(id), graph, context);
            ways.is_some_and(|ways| {
                ways.into_iter().all(|value| {
                    let address = access.address.with(id, factor, value);
                    address.is_some_and(|address| {
                        address == access.address
                            || self.covers_ways(&Access { address, ..*access }, depth - 1, left, graph, flow, context)
                    })
                })
            })
        })
    }

    fn covers_directly(&self, access: &Access) -> bool {
        let Some(ranges) = self.ranges.get(&access.address.base()) else { return false };
        let (mut at, end) = (access.address.offset, access.address.offset.saturating_add(access.size));
        // Several announcements may cover one access together.
        while at < end {
            let reaching = ranges.iter().filter(|(from, to, how)| {
                (*from..*to).contains(&at) && (access.direction == Direction::Read || *how == Direction::Write)
            });
            match reaching.map(|(_, to, _)| *to).max() {
                Some(to) => at = to,
                None => return false,
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(text: &str, syntax: Syntax) -> Judged<'_> {
        let lines: Vec<&str> = text.lines().collect();
        let (read_only, tables) = (HashSet::from(["table"]), Tables::of(&lines));
        judge(&Function { name: "f", lines: &lines, syntax, read_only: &read_only, tables: &tables })
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
    fn both_spellings_are_judged() {
        let text = "mov rbx, rsi\nlea rdi, [rbx+8]\ncall __tsan_read4\nmov eax, DWORD PTR [rbx+8]\n\
                    mov rcx, QWORD PTR [rbx + 8]\nret";
        assert_eq!(judged(text, Syntax::Intel).missed, [4]);
    }
}
