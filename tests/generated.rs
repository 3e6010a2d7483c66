//! Generated programs against brute force: the final states that gabion reaches, with points everywhere and each of its
//! reductions, are exactly those that an enumeration of the abstract program reaches. Besides what all threads touch there is
//! a variable of each thread's own, which another reads in some interleavings only: quiet memory until then.
//!
//! Every state of a small domain has an assertion of its own at the end of the program, on a line of its own; what
//! `--keep-going` finds is then the set of reachable states.

#![forbid(unsafe_code)]

use gabion_tests::run::{LIMIT, call, call_with};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use std::collections::{BTreeSet, HashSet};
use std::fmt::Write;
use tempfile::TempDir;

/// Values of a variable at the end.
const DOMAIN: i32 = 5;
/// Programs for each compiler.
const CASES: u32 = 24;

/// One statement. Variables are 0 (`x`) and 1 (`y`).
#[derive(Clone, Debug)]
enum Statement {
    Set(usize, i32),
    /// `to = from + plus`: a read, then a write.
    Copy(usize, usize, i32),
    Locked(usize, usize),
    /// Sets the variable if the lock is free.
    Try(usize, i32),
    AtomicAdd(i32),
    ReadAtomic(usize),
    /// Into the thread's own variable.
    Keep(usize),
    /// Reads the next thread's own variable if `x` has this value.
    Peek(usize, i32),
}

use Statement::*;

fn statement() -> impl Strategy<Value = Statement> {
    let variable = 0..2usize;
    prop_oneof![
        (variable.clone(), 1..4i32).prop_map(|(v, c)| Set(v, c)),
        (variable.clone(), variable.clone(), 0..2i32).prop_map(|(to, from, plus)| Copy(to, from, plus)),
        (variable.clone(), variable.clone()).prop_map(|(to, from)| Locked(to, from)),
        (variable.clone(), 1..4i32).prop_map(|(v, c)| Try(v, c)),
        (1..3i32).prop_map(AtomicAdd),
        variable.clone().prop_map(ReadAtomic),
        variable.clone().prop_map(Keep),
        (variable, 0..3i32).prop_map(|(to, x)| Peek(to, x)),
    ]
}

/// Two threads of up to four statements, or three of up to two. The first is main.
fn program() -> impl Strategy<Value = Vec<Vec<Statement>>> {
    let threads = |n, most| prop::collection::vec(prop::collection::vec(statement(), 1..=most), n);
    prop_oneof![2 => threads(2, 4), 1 => threads(3, 2)]
}

fn source(program: &[Vec<Statement>]) -> (String, usize) {
    const NAMES: [char; 2] = ['x', 'y'];
    let body = |t: usize, statements: &[Statement]| -> String {
        let text = |s: &Statement| match s {
            Set(v, c) => format!(" {} = {c};", NAMES[*v]),
            Copy(to, from, plus) => format!(" {} = {} + {plus};", NAMES[*to], NAMES[*from]),
            Locked(to, from) => {
                format!(" pthread_mutex_lock(&m); {} = {} + 1; pthread_mutex_unlock(&m);", NAMES[*to], NAMES[*from])
            }
            Try(v, c) => {
                format!(" if (pthread_mutex_trylock(&m) == 0) {{ {} = {c}; pthread_mutex_unlock(&m); }}", NAMES[*v])
            }
            AtomicAdd(c) => format!(" atomic_fetch_add(&a, {c});"),
            ReadAtomic(v) => format!(" {} = atomic_load(&a);", NAMES[*v]),
            Keep(from) => format!(" own[{t}][0] = {};", NAMES[*from]),
            Peek(to, x) => format!(" if (x == {x}) {} = own[{}][0];", NAMES[*to], (t + 1) % program.len()),
        };
        statements.iter().map(text).collect()
    };
    let mut out = String::from(
        "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\nint x, y, own[3][16]; atomic_int a;\n\
         pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n",
    );
    for (t, statements) in program.iter().enumerate().skip(1) {
        let _ = writeln!(out, "void *t{t}(void *q) {{{} return q; }}", body(t, statements));
    }
    let others = 1..program.len();
    let create = |t| format!(" pthread_t h{t}; pthread_create(&h{t}, 0, t{t}, 0);");
    let join = |t| format!(" pthread_join(h{t}, 0);");
    let (created, joined): (String, String) = (others.clone().map(create).collect(), others.map(join).collect());
    let _ = writeln!(out, "int main(void) {{{created}{}{joined}", body(0, &program[0]));
    let first = out.lines().count() + 1;
    for x in 0..DOMAIN {
        for y in 0..DOMAIN {
            let _ = writeln!(out, "assert(!(x == {x} && y == {y}));");
        }
    }
    out.push_str("return 0; }\n");
    (out, first)
}

/// What the hardware does one at a time.
#[derive(Clone, Copy)]
enum Micro {
    Create(usize),
    Read(usize),
    ReadAtomic,
    /// Variable; a constant, or what was read plus a constant.
    Write(usize, Option<i32>, i32),
    Add(i32),
    Lock,
    Unlock,
    /// Skips this many if the lock is held.
    TryLock(usize),
    Keep,
    /// The thread's own variable.
    ReadOwn(usize),
    /// Skips this many unless what was read has this value.
    Unless(i32, usize),
}

fn micro(statements: &[Statement], next: usize) -> Vec<Micro> {
    let parts = |s: &Statement| match *s {
        Set(v, c) => vec![Micro::Write(v, Some(c), 0)],
        Copy(to, from, plus) => vec![Micro::Read(from), Micro::Write(to, None, plus)],
        Locked(to, from) => vec![Micro::Lock, Micro::Read(from), Micro::Write(to, None, 1), Micro::Unlock],
        Try(v, c) => vec![Micro::TryLock(2), Micro::Write(v, Some(c), 0), Micro::Unlock],
        AtomicAdd(c) => vec![Micro::Add(c)],
        ReadAtomic(v) => vec![Micro::ReadAtomic, Micro::Write(v, None, 0)],
        Keep(from) => vec![Micro::Read(from), Micro::Keep],
        Peek(to, x) => vec![Micro::Read(0), Micro::Unless(x, 2), Micro::ReadOwn(next), Micro::Write(to, None, 0)],
    };
    statements.iter().flat_map(parts).collect()
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct State {
    /// Next part of each thread; None: not created.
    at: Vec<Option<usize>>,
    read: Vec<i32>,
    variables: [i32; 2],
    own: Vec<i32>,
    atomic: i32,
    held: bool,
}

/// Every final state, by enumeration.
fn reachable(program: &[Vec<Statement>]) -> BTreeSet<(i32, i32)> {
    let mut threads: Vec<Vec<Micro>> =
        program.iter().enumerate().map(|(t, s)| micro(s, (t + 1) % program.len())).collect();
    let create: Vec<Micro> = (1..program.len()).map(Micro::Create).collect();
    threads[0].splice(0..0, create);
    let mut at = vec![None; program.len()];
    at[0] = Some(0);
    let zero = vec![0; program.len()];
    let start = State { at, read: zero.clone(), variables: [0; 2], own: zero, atomic: 0, held: false };
    let (mut seen, mut todo, mut ends) = (HashSet::from([start.clone()]), vec![start], BTreeSet::new());
    while let Some(state) = todo.pop() {
        let mut over = true;
        for (t, parts) in threads.iter().enumerate() {
            let Some(part) = state.at[t].and_then(|at| parts.get(at)) else { continue };
            over = false;
            if let Some(next) = step(&state, t, *part)
                && seen.insert(next.clone())
            {
                todo.push(next);
            }
        }
        if over {
            ends.insert((state.variables[0], state.variables[1]));
        }
    }
    ends
}

fn step(state: &State, t: usize, part: Micro) -> Option<State> {
    let mut s = state.clone();
    let mut skip = 1;
    match part {
        Micro::Create(child) => s.at[child] = Some(0),
        Micro::Read(v) => s.read[t] = s.variables[v],
        Micro::ReadAtomic => s.read[t] = s.atomic,
        Micro::Write(v, constant, plus) => s.variables[v] = constant.unwrap_or(s.read[t] + plus),
        Micro::Add(c) => s.atomic += c,
        Micro::Lock if s.held => return None,
        Micro::Lock => s.held = true,
        Micro::Unlock => s.held = false,
        Micro::TryLock(past) if s.held => skip += past,
        Micro::TryLock(_) => s.held = true,
        Micro::Keep => s.own[t] = s.read[t],
        Micro::ReadOwn(other) => s.read[t] = s.own[other],
        Micro::Unless(value, past) if s.read[t] != value => skip += past,
        Micro::Unless(..) => {}
    }
    s.at[t] = s.at[t].map(|at| at + skip);
    Some(s)
}

/// A program compiled as `gabion check` would, and the line of its first assertion.
struct Compiled {
    directory: TempDir,
    first: usize,
}

impl Compiled {
    fn new(program: &[Vec<Statement>], compiler: &str) -> Result<Self, String> {
        let directory = tempfile::tempdir().map_err(|e| e.to_string())?;
        let (text, first) = source(program);
        std::fs::write(directory.path().join("generated.c"), text).map_err(|e| e.to_string())?;
        let compiled = Compiled { directory, first };
        let line =
            ["cc", &compiled.path("generated.c"), "-pthread", "-o", &compiled.path("generated")].map(String::from);
        let logs = compiled.directory.path().join("build");
        let output = call_with(&logs, &line, &[("CC", compiler)], LIMIT)?;
        if output.code()? == 0 { Ok(compiled) } else { Err(output.tail()) }
    }

    fn path(&self, name: &str) -> String {
        self.directory.path().join(name).display().to_string()
    }
}

/// The final states that gabion shows.
fn found(program: &Compiled, (mode, reduction): (&str, &str)) -> Result<BTreeSet<(i32, i32)>, String> {
    let args = ["check", "--keep-going", "--json", "-", "--mode", mode, "--reduction", reduction];
    let args = args.into_iter().map(String::from).chain([program.path("generated")]);
    let output = call(&program.directory.path().join("run"), &args.collect::<Vec<_>>(), LIMIT)?;
    let json = output.json()?;
    if json["verdict"] != "bug" || json["runs"] == 0 {
        return Err(format!("no final state was found\n{json:#}"));
    }
    let bugs = json["bugs"].as_array().ok_or("no list of bugs")?;
    let state = |bug: &serde_json::Value| {
        let line: usize = bug["location"].as_str()?.rsplit(':').next()?.parse().ok()?;
        let index = line.checked_sub(program.first)? as i32;
        Some((index / DOMAIN, index % DOMAIN))
    };
    bugs.iter().map(|bug| state(bug).ok_or(format!("a bug elsewhere: {bug:#}"))).collect()
}

/// Modes and reductions.
const WAYS: [(&str, &str); 5] =
    [("single", "none"), ("single", "dpor"), ("single", "optimal"), ("maximal", "optimal"), ("deepen", "optimal")];

#[test]
fn gabion_reaches_what_brute_force_reaches_with_gcc() {
    reaches_what_brute_force_reaches("gcc", 1);
}

#[test]
fn gabion_reaches_what_brute_force_reaches_with_clang() {
    reaches_what_brute_force_reaches("clang", 2);
}

fn reaches_what_brute_force_reaches(compiler: &str, seed: u8) {
    let config = Config { cases: CASES, max_shrink_iters: 100, failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &[seed; 32]));
    let small = |p: &Vec<Vec<Statement>>| reachable(p).iter().all(|(x, y)| *x < DOMAIN && *y < DOMAIN);
    let programs = program().prop_filter("values stay in the domain", small);
    let result = runner.run(&programs, |program| {
        let compiled = Compiled::new(&program, compiler).map_err(TestCaseError::fail)?;
        for how in WAYS {
            let found = found(&compiled, how).map_err(TestCaseError::fail)?;
            prop_assert_eq!(found, reachable(&program), "{:?}: {}", how, source(&program).0);
        }
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
}
