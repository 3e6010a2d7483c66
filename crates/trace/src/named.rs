//! What a trace file holds in words: the program, places, steps, accesses, races.

use crate::{Point, ThreadId};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// The program a trace is for, and how it was built and run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    /// The file given on the command line: a source or an executable.
    pub path: PathBuf,
    /// Hash of the executable's bytes.
    pub hash: u64,
    /// Compiler, if one was chosen.
    pub compiler: Option<PathBuf>,
    /// Flags it was compiled with.
    pub cflags: Vec<String>,
    /// Its arguments.
    pub args: Vec<String>,
    /// Variables added to its environment.
    pub env: Vec<(String, String)>,
    /// What it reads.
    pub stdin: Option<PathBuf>,
    /// Hash of the bytes of that.
    #[serde(default)]
    pub input: Option<u64>,
    /// Where it runs, if that was said.
    pub cwd: Option<PathBuf>,
    /// What else it sees of where it was started. None in files that were written before this was kept: such a program is given
    /// the surroundings of whoever replays it.
    #[serde(default)]
    pub surroundings: Option<Surroundings>,
}

/// What a program sees of where it is started, other than the machine.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Surroundings {
    /// Its own name, as `argv[0]` has it.
    pub name: String,
    /// The variables of its environment, but for those that were added by name.
    pub environment: Vec<(String, String)>,
    /// The directory that it was started in.
    pub directory: PathBuf,
    /// The permissions that new files do not get.
    pub umask: u32,
}

/// A place in the source.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Frame {
    /// Function, if known.
    pub function: Option<String>,
    /// File, if known.
    pub file: Option<String>,
    /// Line, if known.
    pub line: Option<u32>,
    /// Module and offset, always known.
    pub module: String,
}

/// Where compilers, systems and the builders of Rust's standard library keep what is not the program's own.
const LIBRARIES: [&str; 4] = ["/usr/include/", "/usr/lib/", "/rustc/", "/rust/deps/"];
/// Headers of the C++ library wherever they are, ours that stand before them, and the sources of Rust's standard library.
const ELSEWHERE: [&str; 2] = ["/include/c++/", "/lib/rustlib/src/rust/library/"];

/// Is it a function of the crate `gabion`? Those who speak to us are its callers.
fn is_ours(function: &str) -> bool {
    function.strip_prefix('<').unwrap_or(function).starts_with("gabion::")
}

impl Frame {
    /// Is it code of a library, in a header for example?
    pub fn is_library(&self) -> bool {
        let of_library = |file: &str| {
            LIBRARIES.iter().any(|at| file.starts_with(at)) || ELSEWHERE.iter().any(|at| file.contains(at))
        };
        let named = |function: &str| function == "__rust_try" || (self.is_rust() && is_ours(function));
        self.file.as_deref().is_some_and(of_library) || self.function.as_deref().is_some_and(named)
    }

    /// Is it code of a crate that cargo has fetched?
    pub fn is_published(&self) -> bool {
        const FETCHED: [&str; 2] = ["/registry/src/", "/git/checkouts/"];
        self.file.as_deref().is_some_and(|file| FETCHED.iter().any(|at| file.contains(at)))
    }

    fn is_rust(&self) -> bool {
        self.file.as_deref().is_some_and(|file| file.ends_with(".rs"))
    }

    /// Of a stack, the innermost frame of the program's own code, or at least one with a line.
    pub fn place(stack: &[Frame]) -> Option<&Frame> {
        let known = |f: &&Frame| f.file.is_some() && f.line.is_some();
        stack.iter().filter(known).find(|f| !f.is_library()).or(stack.iter().find(known)).or(stack.first())
    }
}

/// A function's name as people would say it: a lambda of C++ by its number and the function that it is in.
pub fn readable(function: &str) -> String {
    let lambda = function.rfind("::{lambda(").map(|at| (at, function[at..].find('#')));
    let numbered = lambda.and_then(|(at, number)| Some((at, &function[at + number? + 1..], 0)));
    // As clang has it, from 0.
    let clang = function.rfind("::$_").map(|at| (at, &function[at + 4..], 1));
    let Some((at, rest, first)) = numbered.or(clang) else { return function.to_string() };
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    let Ok(number) = digits.parse::<u32>() else { return function.to_string() };
    let outer = readable(&function[..at]);
    let outer = outer.split('(').next().unwrap_or_default();
    format!("lambda {} in {outer}", number + first)
}

/// A step in words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedStep {
    /// Who.
    pub thread: ThreadId,
    /// The thread's own number of the step.
    pub number: u32,
    /// The point before it.
    pub point: Point,
    /// How many threads could have run.
    pub enabled: usize,
    /// What it did first, in words: `lock m`, `write counter (4 bytes)`.
    pub what: String,
    /// Where, innermost first (inlined functions are frames of their own).
    pub stack: Vec<Frame>,
    /// Its accesses that conflict with those of other threads in this run, the first of each object, and those that the
    /// explanation speaks of.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub accesses: Vec<NamedAccess>,
    /// What the program was given where it asked for a choice.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub chosen: Vec<NamedChoice>,
}

/// What the program was given where it asked for a choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedChoice {
    /// What.
    pub value: u32,
    /// Among how many, from 0, if that is known.
    pub of: Option<u32>,
}

/// An access that conflicts with one of another thread, or an access or allocation that is spoken of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedAccess {
    /// `read`, `write`, `update`, `free`, `allocate`.
    pub what: String,
    /// To what.
    pub object: String,
    /// The value before it, if it was recorded.
    pub before: Option<String>,
    /// What it left there, as far as a later access of the run shows.
    pub after: Option<String>,
    /// The last step before this one, of another thread, with which it conflicts: an index into the steps.
    pub with: Option<usize>,
    /// The first step after this one, of another thread, with which it conflicts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<usize>,
    /// Where, innermost first.
    pub stack: Vec<Frame>,
    /// The explanation speaks of it.
    #[serde(default, skip_serializing_if = "is_not")]
    pub spoken_of: bool,
}

fn is_not(value: &bool) -> bool {
    !value
}

/// A thread that waits when the run ends.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedWait {
    /// Who.
    pub thread: ThreadId,
    /// For what, and who holds that: `waits to lock b, which T1 holds`.
    pub what: String,
    /// Where, innermost first.
    pub stack: Vec<Frame>,
}

/// A data race of the campaign.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedRace {
    /// What they race for.
    pub object: String,
    /// The accesses in words, with thread and place.
    pub accesses: [String; 2],
    /// Where, innermost first.
    pub stacks: [Vec<Frame>; 2],
    /// Which memory orders would have ordered the two, if that is all that is missing.
    #[serde(default)]
    pub would_order: Option<String>,
    /// What became of it, in the word of reports.
    pub status: String,
    /// Seen in both orders?
    pub both_orders: bool,
    /// A failure is explained by one of the two.
    #[serde(default)]
    pub takes_part: bool,
}

/// What somebody did that explains the failure, in words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedWitness {
    /// `allocated by T1 (worker)`.
    pub what: String,
    /// Where, innermost first.
    pub stack: Vec<Frame>,
}

#[cfg(test)]
mod tests {
    use super::readable;

    #[test]
    fn lambdas_have_a_number_and_a_function() {
        let check = |name: &str, expected: &str| assert_eq!(readable(name), expected);
        check("main::{lambda()#1}::operator()() const", "lambda 1 in main");
        check("run(int, char)::{lambda(int)#2}::operator()(int) const", "lambda 2 in run");
        check(
            "a::f()::{lambda()#1}::operator()() const::{lambda()#3}::operator()() const",
            "lambda 3 in lambda 1 in a::f",
        );
        check("main::$_0::operator()() const", "lambda 1 in main");
        check("tickets::main::{closure#0}", "tickets::main::{closure#0}");
        check("queue::push(int)", "queue::push(int)");
    }
}
