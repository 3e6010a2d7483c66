//! Holds gabion against the interpreter: the outcomes that it finds are those that can be, a search for one of them that fails says
//! so and replays, and one for none is *verified*.

use crate::machine::{Copies, Outcome, outcomes};
use crate::program::{Dialect, ENVIRONMENT, Home, Kind, Pause, Program, STRUCT, Statement};
use crate::{c, generate, rust};
use gabion_tests::build::{REBUILT, why_not_rebuilt};
use gabion_tests::claims::runs_add_up;
use gabion_tests::run::{LIMIT, Output, PREBUILT, call_with};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Runs of one search. Programs that need more are held against the interpreter as far as they were searched.
const RUNS: &str = "12000";
/// Accesses of a step that does not end: of a thread that waits for memory which another one does not write in this run.
const ACCESSES: &str = "10000000";
/// Programs with more outcomes are left out.
const OUTCOMES: usize = 60;

/// A program, and how it is compiled and searched.
#[derive(Clone, Debug)]
pub struct Case {
    pub number: u64,
    pub program: Program,
    pub compiler: &'static str,
    pub level: u32,
    pub how: (&'static str, &'static str),
}

const WAYS: [(&str, &str); 6] = [
    ("deepen", "optimal"),
    ("maximal", "optimal"),
    ("single", "optimal"),
    ("single", "dpor"),
    ("single", "hbcache"),
    ("single", "none"),
];

impl Case {
    /// The case of this number.
    pub fn new(number: u64) -> Case {
        let dialects = [Dialect::Posix, Dialect::Cxx, Dialect::Posix, Dialect::Rust, Dialect::C11];
        let dialect = dialects[(number % 5) as usize];
        let level = (number / 5 % 3) as u32;
        let compiler = match dialect {
            Dialect::Rust => ["rustc", REBUILT][(number / 15 % 2) as usize],
            Dialect::Cxx => ["g++", "clang++"][(number / 15 % 2) as usize],
            _ => ["gcc", "clang"][(number / 15 % 2) as usize],
        };
        let how = WAYS[(number / 30 % WAYS.len() as u64) as usize];
        Case { number, program: generate::program(number, dialect, level > 0), compiler, level, how }
    }

    pub fn source(&self, expected: &Expected) -> String {
        match self.program.dialect {
            Dialect::Rust => rust::text(&self.program, &expected.most),
            _ => c::text(&self.program, &expected.most),
        }
    }

    fn changes_environment(&self) -> bool {
        self.program.any(|s| matches!(s, Statement::Set(ENVIRONMENT, _)))
    }

    fn file(&self) -> &'static str {
        match self.program.dialect {
            Dialect::Rust => "p.rs",
            Dialect::Cxx => "p.cpp",
            _ => "p.c",
        }
    }
}

/// Outcomes by the interpreter.
pub struct Expected {
    /// With whole copies: what gabion must find.
    pub least: BTreeSet<Outcome>,
    /// With copies in parts: what it may find. Its places are the numbers of outcomes.
    pub most: BTreeSet<Outcome>,
}

impl Expected {
    /// None if there are too many states or outcomes, or if the program has a loop that nothing tells from one that computes.
    pub fn of(program: &Program) -> Option<Expected> {
        if program.awaits_nobody() {
            return None;
        }
        let least = outcomes(program, Copies::Whole)?;
        let one_byte = program.variables[STRUCT].kind == Kind::Struct(1);
        let most = if one_byte { least.clone() } else { outcomes(program, Copies::Parts)? };
        (most.len() <= OUTCOMES && least.is_subset(&most)).then_some(Expected { least, most })
    }

    /// The outcomes at which a program ends by itself, with their numbers.
    fn ends(&self) -> impl Iterator<Item = (usize, &Outcome)> {
        self.most.iter().filter(|o| matches!(o, Outcome::End(..))).enumerate()
    }

    /// No execution hangs or misuses memory.
    pub fn always_ends(&self) -> bool {
        self.most.iter().all(|o| matches!(o, Outcome::End(..)))
    }
}

/// What came of a case.
#[derive(Default)]
pub struct Result {
    /// Not searched to its end.
    pub partial: bool,
    /// Without a failure it was not *verified*, with the kinds of its caveats.
    pub less: Option<String>,
    /// Numbers of the outcomes that gabion found.
    pub found: BTreeSet<usize>,
}

/// Compiles a case; the executable's path.
pub fn compile(case: &Case, expected: &Expected, directory: &Path) -> std::result::Result<PathBuf, String> {
    std::fs::write(directory.join(case.file()), case.source(expected)).map_err(|e| e.to_string())?;
    let source = directory.join(case.file()).display().to_string();
    let program = directory.join("p").display().to_string();
    let level = format!("-O{}", case.level);
    let args: Vec<String> = match case.program.dialect {
        Dialect::Rust => {
            let level = format!("-Copt-level={}", case.level);
            ["rustc", "--edition=2024", "-g", "-Awarnings", &level, &source, "-o", &program].map(String::from).to_vec()
        }
        Dialect::Cxx => {
            ["c++", "-std=c++20", "-g", "-w", &level, &source, "-pthread", "-o", &program].map(String::from).to_vec()
        }
        _ => ["cc", "-g", "-w", &level, &source, "-pthread", "-o", &program].map(String::from).to_vec(),
    };
    let environment = match case.compiler {
        "rustc" => vec![],
        REBUILT if why_not_rebuilt().is_some() => vec![],
        REBUILT => vec![(PREBUILT, "")],
        compiler => vec![("CC", compiler), ("CXX", compiler)],
    };
    let output = call_with(&directory.join("build"), &args, &environment, LIMIT)?;
    if output.code()? == 0 { Ok(directory.join("p")) } else { Err(format!("it does not compile\n{}", output.tail())) }
}

fn gabion(directory: &Path, args: &[&str]) -> std::result::Result<Output, String> {
    let args: Vec<String> = args.iter().map(ToString::to_string).collect();
    let output = call_with(directory, &args, &[], LIMIT)?;
    if output.left_behind.is_empty() { Ok(output) } else { Err(format!("left behind: {:?}", output.left_behind)) }
}

/// Everything about one case. An error is a failure of gabion's, in words.
pub fn check(case: &Case, expected: &Expected, directory: &Path) -> std::result::Result<Result, String> {
    let program = compile(case, expected, directory)?.display().to_string();
    let (mode, reduction) = case.how;
    let fixed = [
        "check",
        "--json",
        "-",
        "--minimise-runs",
        "0",
        "--max-runs",
        RUNS,
        "--races",
        "report",
        "--budget",
        "none",
        "--max-accesses",
        ACCESSES,
        "--jobs",
        "1",
    ];
    let all = ["--keep-going", "--mode", mode, "--reduction", reduction, &program, "--", "all"];
    let json = gabion(&directory.join("all"), &[&fixed[..], &all].concat())?.json()?;
    runs_add_up(&json)?;
    let mut result = compare(case, expected, &json).map_err(|why| format!("{why}\n{json:#}"))?;
    if expected.always_ends() {
        let json = gabion(&directory.join("none"), &[&fixed[..], &[&program, "--", "none"]].concat())?.json()?;
        runs_add_up(&json)?;
        result.less = passes(case, expected, &result, &json).map_err(|why| format!("{why}\n{json:#}"))?;
    }
    let ends: Vec<usize> = expected.ends().filter(|(_, o)| expected.least.contains(o)).map(|(k, _)| k).collect();
    if expected.always_ends() && !result.partial && !ends.is_empty() {
        one_fails(case, ends[case.number as usize % ends.len()], &program, directory)?;
    }
    Ok(result)
}

/// The outcomes of a search that goes on after bugs.
fn compare(case: &Case, expected: &Expected, json: &Value) -> std::result::Result<Result, String> {
    let verdict = json["verdict"].as_str().unwrap_or("");
    if verdict == "error" {
        return Err("an error".into());
    }
    let mut result = Result::default();
    let (mut stuck, mut memory) = (false, false);
    for bug in json["bugs"].as_array().into_iter().flatten() {
        let message = bug["message"].as_str().unwrap_or("");
        match bug["kind"].as_str().unwrap_or("") {
            "assertion" | "panic" => {
                let number = message
                    .split("outcome ")
                    .nth(1)
                    .map(|rest| rest.chars().take_while(char::is_ascii_digit).collect::<String>());
                let number = number.and_then(|n| n.parse().ok());
                result.found.insert(number.ok_or(format!("an outcome that cannot be: {message}"))?);
            }
            "deadlock" | "livelock" | "infinite-loop" => stuck = true,
            "use-after-free" | "double-free" | "bad-free" => memory = true,
            kind => return Err(format!("a bug of kind {kind}: {message}")),
        }
    }
    let over = |space: &Value| space["largest"] == true && matches!(space["status"].as_str(), Some("complete" | "bug"));
    let limit: u64 = RUNS.parse().unwrap_or(0);
    let spent = json["runs"].as_u64().unwrap_or(0) >= limit;
    // In which order threads come to the environment is not seen where Rust's library came prebuilt; the verdict says so.
    let unseen = case.changes_environment()
        && case.program.dialect == Dialect::Rust
        && json["scope"]["caveats"].to_string().contains("uninstrumented-function");
    result.partial = unseen || spent || !json["state_spaces"].as_array().into_iter().flatten().any(over);
    if stuck && !expected.most.contains(&Outcome::Stuck) {
        return Err("a deadlock or livelock that cannot be".into());
    }
    if memory && !expected.most.contains(&Outcome::Memory) {
        return Err("a use after free that cannot be".into());
    }
    if result.partial {
        return Ok(result);
    }
    let least: BTreeSet<usize> = expected.ends().filter(|(_, o)| expected.least.contains(o)).map(|(k, _)| k).collect();
    let missed: Vec<_> = least.difference(&result.found).collect();
    if !missed.is_empty() {
        return Err(format!("outcomes {missed:?} were not found"));
    }
    if !stuck && expected.least.contains(&Outcome::Stuck) {
        return Err("no deadlock or livelock was found".into());
    }
    if !memory && expected.least.contains(&Outcome::Memory) {
        return Err("no use of freed memory was found".into());
    }
    Ok(result)
}

/// Caveats that are part of a statement.
const NAMED: [&str; 7] = [
    "memory-model",
    "told-races",
    "trusted-library",
    "spurious-wakeups",
    "address-reuse",
    "virtual-time",
    "lock-held-at-end",
];

/// A program that cannot fail does not, and is *verified* unless there is a reason; the kinds of reasons.
fn passes(case: &Case, expected: &Expected, all: &Result, json: &Value) -> std::result::Result<Option<String>, String> {
    let caveats = json["scope"]["caveats"].as_array().into_iter().flatten();
    let mut kinds: BTreeSet<&str> = caveats.filter_map(|c| c["kind"].as_str()).collect();
    kinds.retain(|kind| !NAMED.contains(kind));
    let found_all = all.found.len() == expected.ends().count();
    match json["verdict"].as_str().unwrap_or("") {
        "verified" => {
            let Kind::Struct(size) = case.program.variables[STRUCT].kind else { unreachable!("a structure") };
            let parts = case.level == 0 && ![1, 2, 4, 8, 16].contains(&size);
            if !all.partial && parts && !found_all {
                return Err("verified, although a copy that is half done can be seen".into());
            }
            Ok(None)
        }
        "complete" if kinds.iter().all(|kind| *kind == "whole-copies") && !kinds.is_empty() => {
            Ok(Some("whole-copies".into()))
        }
        "partial" => {
            // gcc's code has accesses to the own stack that are not announced (copies, what an optimiser keeps there), and another
            // thread's stack may be meant.
            let on_stack = case.program.variables.iter().any(|v| v.home == Home::Stack);
            if on_stack && case.compiler.starts_with('g') && kinds.contains("uninstrumented-function") {
                return Ok(Some(format!("accesses to the stack, {}", Vec::from_iter(kinds).join(" "))));
            }
            // A prebuilt library of Rust takes the environment's lock unseen.
            if case.changes_environment()
                && case.program.dialect == Dialect::Rust
                && kinds.contains("uninstrumented-function")
            {
                return Ok(Some("environment".into()));
            }
            let reasons = Vec::from_iter(kinds).join(" ");
            let limited = json["runs"].as_u64() >= RUNS.parse().ok();
            // Counting rounds without end, a wait is never seen to come back to a state that it had.
            let waits = case.program.any(|s| matches!(s, Statement::Await(_, _, Pause::Count)));
            if limited || waits {
                Ok(Some(format!("partial {reasons}")))
            } else {
                Err(format!("partial, because of {reasons}"))
            }
        }
        verdict => Err(format!("{verdict} with {kinds:?}, of a program that cannot fail")),
    }
}

/// A program that fails with one outcome does, and its interleaving replays.
fn one_fails(case: &Case, outcome: usize, program: &str, directory: &Path) -> std::result::Result<(), String> {
    let directory = directory.join("one");
    let args = [
        "check",
        "--json",
        "-",
        "--minimise-runs",
        "50",
        "--max-runs",
        RUNS,
        "--races",
        "report",
        "--budget",
        "none",
        "--max-accesses",
        ACCESSES,
        "--jobs",
        "1",
        program,
        "--",
    ];
    let number = outcome.to_string();
    let json = gabion(&directory, &[&args[..], &[&number]].concat())?.json()?;
    let limited = json["verdict"] == "partial";
    if json["verdict"] != "bug" && !limited {
        return Err(format!("outcome {outcome} was not found by itself\n{json:#}"));
    }
    if !limited && case.number.is_multiple_of(4) {
        let trace = json["bugs"][0]["trace"].as_str().ok_or("no trace")?.to_owned();
        let replay = gabion(&directory, &["replay", &trace])?;
        if replay.code()? != 1 {
            return Err(format!("outcome {outcome} does not replay\n{}", replay.tail()));
        }
    }
    Ok(())
}
