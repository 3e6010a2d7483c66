//! The control flow of a function: straight pieces of code and which can follow which.
//!
//! Switches jump to any label that a table of the unit names; a call with a landing pad in the unit's exception tables
//! may continue there. A piece that nothing is seen to lead to is kept: [`flow`](super::flow) takes nothing for granted
//! in it.

use std::collections::{HashMap, HashSet};

use super::assembly::{Instruction, Operand, Syntax};
use super::walk::{Event, is_debug_label, walk};

/// Calls that do not return.
const ENDINGS: [&str; 14] = [
    "abort",
    "exit",
    "_exit",
    "_Exit",
    "__assert_fail",
    "__assert_perror_fail",
    "__stack_chk_fail",
    "__cxa_throw",
    "__cxa_rethrow",
    "__cxa_throw_bad_array_new_length",
    "_Unwind_Resume",
    "__clang_call_terminate",
    "_ZSt9terminatev",
    "pthread_exit",
];

/// What a unit's tables say about control flow.
#[derive(Debug, Default)]
pub(super) struct Tables<'t> {
    /// Labels in tables of addresses.
    listed: HashSet<&'t str>,
    /// From the label where calls begin to the one where they end and the landing pad.
    pads: HashMap<&'t str, Vec<(&'t str, &'t str)>>,
}

impl<'t> Tables<'t> {
    pub(super) fn of(lines: &[&'t str]) -> Tables<'t> {
        let mut tables = Tables::default();
        let mut last: [Option<(&str, &str)>; 2] = [None; 2];
        let mut debug = false;
        for line in lines {
            let Some((name, rest)) = line.trim_start().split_once([' ', '\t']) else { continue };
            let rest = rest.split('#').next().unwrap_or("").trim();
            if name == ".section" {
                debug = rest.trim_start_matches('"').starts_with(".debug");
            }
            if !debug && [".quad", ".long"].contains(&name) {
                let labels = rest.split(['-', '+', ',', ' ']).map(str::trim).filter(|part| part.starts_with(".L"));
                tables.listed.extend(labels);
            }
            if name != ".uleb128" {
                last = [None; 2];
                continue;
            }
            // Begin from the function's start, length of the range, pad from the function's start.
            let this = rest.split_once('-');
            if let ([Some((begin, _)), Some((end, from))], Some((pad, _))) = (last, this)
                && begin == from
            {
                tables.pads.entry(begin).or_default().push((end, pad));
            }
            last = [last[1], this];
        }
        tables
    }
}

/// An instruction and its line.
#[derive(Debug)]
pub(super) struct Step<'t> {
    pub(super) line: usize,
    pub(super) instruction: Instruction<'t>,
    /// By the programmer, judged elsewhere.
    pub(super) inline: bool,
}

/// A straight piece: steps from one number to before another.
#[derive(Debug, Default)]
pub(super) struct Block {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) before: Vec<usize>,
    pub(super) after: Vec<usize>,
    /// Nothing leads here.
    pub(super) dead: bool,
}

/// A function.
#[derive(Debug)]
pub(super) struct Graph<'t> {
    pub(super) steps: Vec<Step<'t>>,
    pub(super) blocks: Vec<Block>,
}

impl<'t> Graph<'t> {
    pub(super) fn of(lines: &[&'t str], syntax: Syntax, tables: &Tables<'t>) -> Graph<'t> {
        let mut steps = Vec::new();
        let mut labels: HashMap<&str, usize> = HashMap::new();
        walk(lines, syntax, |line, event| match event {
            Event::Label(name) => drop(labels.insert(name, steps.len())),
            Event::Inline => {}
            Event::Instruction(instruction) => steps.push(Step { line, instruction, inline: false }),
            Event::Written(instruction) => steps.push(Step { line, instruction, inline: true }),
        });
        let pads = landings(&steps, &labels, tables);
        let listed: Vec<usize> = {
            let taken = steps.iter().flat_map(|step| taken_labels(&step.instruction));
            let all = tables.listed.iter().copied().chain(taken);
            let mut found: Vec<usize> = all.filter_map(|label| labels.get(label).copied()).collect();
            found.sort_unstable();
            found.dedup();
            found
        };
        // Where pieces start.
        let real = labels.iter().filter(|(name, _)| !is_debug_label(name)).map(|(_, at)| *at);
        let behind = steps.iter().enumerate().filter(|(_, step)| step.instruction.is_jump() || ends(&step.instruction));
        let mut starts: Vec<usize> = real
            .chain(behind.map(|(at, _)| at + 1))
            .chain(pads.iter().flat_map(|(call, pad)| [*call + 1, *pad]))
            .chain(listed.iter().copied())
            .chain([0])
            .filter(|at| *at < steps.len())
            .collect();
        starts.sort_unstable();
        starts.dedup();
        let block_at = |step: usize| starts.binary_search(&step).ok();
        let mut blocks: Vec<Block> = starts
            .iter()
            .enumerate()
            .map(|(number, start)| {
                let end = starts.get(number + 1).copied().unwrap_or(steps.len());
                Block { start: *start, end, ..Block::default() }
            })
            .collect();
        for number in 0..blocks.len() {
            let end = blocks[number].end;
            let last = &steps[end - 1].instruction;
            let mut next: Vec<usize> = Vec::new();
            if last.is_jump() && !last.is_return() {
                match (is_indirect(last), last.target()) {
                    (true, _) => next.extend(listed.iter().filter_map(|at| block_at(*at))),
                    (false, target) => {
                        next.extend(target.and_then(|name| labels.get(name)).and_then(|at| block_at(*at)))
                    }
                }
            }
            let goes_on = !(last.is_return() || last.mnemonic.starts_with("jmp") || ends(last));
            next.extend((goes_on && end < steps.len()).then_some(number + 1));
            next.extend(pads.iter().filter(|(call, _)| call + 1 == end).filter_map(|(_, pad)| block_at(*pad)));
            next.sort_unstable();
            next.dedup();
            for after in &next {
                blocks[*after].before.push(number);
            }
            blocks[number].after = next;
        }
        let entered: HashSet<usize> = labels
            .iter()
            .filter(|(name, _)| !is_debug_label(name))
            .map(|(_, at)| *at)
            .chain(pads.iter().map(|(_, pad)| *pad))
            .chain(listed.iter().copied())
            .chain([0])
            .collect();
        bury(&mut blocks, &entered);
        Graph { steps, blocks }
    }
}

/// Takes out what stands behind a call that does not return and has no label, so that nothing leads there.
fn bury(blocks: &mut [Block], entered: &HashSet<usize>) {
    // In the order of the text: what such a piece leads to by falling through comes after it.
    for number in 0..blocks.len() {
        if blocks[number].before.is_empty() && !entered.contains(&blocks[number].start) {
            blocks[number].dead = true;
            for after in std::mem::take(&mut blocks[number].after) {
                blocks[after].before.retain(|before| *before != number);
            }
        }
    }
}

/// Calls with the pads they may continue at, by step.
fn landings(steps: &[Step], labels: &HashMap<&str, usize>, tables: &Tables) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    for (begin, at) in labels {
        for (end, pad) in tables.pads.get(begin).into_iter().flatten() {
            let (Some(end), Some(pad)) = (labels.get(end), labels.get(pad)) else { continue };
            let calls = (*at..*end).filter(|step| steps[*step].instruction.is_call());
            found.extend(calls.map(|call| (call, *pad)));
        }
    }
    found
}

/// Labels whose address an instruction takes, as for a computed `goto`.
fn taken_labels<'t>(instruction: &Instruction<'t>) -> Option<&'t str> {
    let taking = instruction.mnemonic.starts_with("lea") || instruction.mnemonic.starts_with("mov");
    let symbol = match instruction.operands.first()? {
        Operand::Memory(memory) => memory.symbol?,
        Operand::Other(text) => text.strip_prefix('$')?,
        _ => return None,
    };
    (taking && symbol.starts_with(".L")).then_some(symbol)
}

fn is_indirect(jump: &Instruction) -> bool {
    match jump.operands.first() {
        Some(Operand::Register(_)) => true,
        Some(Operand::Memory(memory)) => memory.base.is_some() || memory.index.is_some(),
        _ => false,
    }
}

/// Does control end here without a jump?
fn ends(instruction: &Instruction) -> bool {
    let throws = |name: &str| name.starts_with("_ZSt") && name.contains("__throw_");
    let named = instruction.target().is_some_and(|name| ENDINGS.contains(&name) || throws(name));
    instruction.is_call() && named || ["ud2", "hlt"].contains(&instruction.mnemonic)
}
