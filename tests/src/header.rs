//! Expectations in the first lines of a program:
//!
//! ```text
//! // gabion: verdict=bug kind=assertion location=HERE
//! // gabion: args=--preempt sync --keep-going
//! ```
//!
//! | key | meaning |
//! |---|---|
//! | `verdict` | one of the verdicts, several with a bar between them, or `any` (only where the program itself is undefined) |
//! | `kind` | kind of the (first) bug, several with a bar |
//! | `runs` | exact number of runs that reach their end (`complete_runs`) |
//! | `races` | all data races as pairs of marks, `A-B,B-B`, or `none`; `A` is the line that ends with `// @A` |
//! | `would-order` | part of what is said to order a race, where `@A` is the place marked so, or `none`: of no race is anything said |
//! | `location` | place of the first bug, `file.c:12`; `HERE` is the line that ends with `// HERE`, and so for every word in capitals |
//! | `allocated`, `freed`, `created`, `locked`, `took` | where the message, or who waits for what, says that this was done; a word in capitals is the line that ends with it in a comment |
//! | `caveat` | kind of a caveat that must be named |
//! | `message` | part of the error or of the bug's message, in quotes if it has spaces |
//! | `exit` | exit status, if it does not follow from the verdict |
//! | `compilers` | `gcc` (the default), `clang`, `libc++` (clang with its own library), or several with commas; of Rust programs `rustc` (the default), `rebuilt`: rustc with the standard library rebuilt, or both |
//! | `args` | options of `check`, to the end of the line |
//! | `argv` | arguments of the program, to the end of the line |
//! | `native`, `native-flags` | not for us: how the program may be tried without the checker |

use std::collections::BTreeSet;
use std::path::Path;

/// What a program's header says.
#[derive(Clone, Debug, Default)]
pub struct Header {
    /// Verdicts of which one must come; empty: any.
    pub verdicts: Vec<String>,
    /// Kinds of which one must come; empty: any.
    pub kinds: Vec<String>,
    /// Exact number of runs.
    pub runs: Option<u64>,
    /// `file:line` of the first bug.
    pub location: Option<String>,
    /// Pairs of lines that race, the lower first: exactly these.
    pub races: Option<BTreeSet<(u64, u64)>>,
    /// Which orders would order a race.
    pub would_order: Option<String>,
    /// What was done where, as the message has to say: `("allocated", "file.c:12")`.
    pub deeds: Vec<(String, String)>,
    /// Kind of a caveat that must be named.
    pub caveat: Option<String>,
    /// Part of the message.
    pub message: Option<String>,
    /// Exit status.
    pub exit: Option<i32>,
    /// Compilers to try.
    pub compilers: Vec<String>,
    /// Options of `check`.
    pub args: Vec<String>,
    /// Arguments of the program.
    pub argv: Vec<String>,
}

impl Header {
    /// Reads the header of a program; says what is wrong with it.
    pub fn read(path: &Path) -> Result<Header, String> {
        let text = std::fs::read_to_string(path).map_err(|e| e.to_string())?;
        let compiler = if path.extension().is_some_and(|e| e == "rs") { "rustc" } else { "gcc" };
        let mut header = Header { compilers: vec![compiler.into()], ..Header::default() };
        let mut verdict = None;
        for line in text.lines().take_while(|line| line.starts_with("//")) {
            let Some(rest) = line.strip_prefix("// gabion: ") else { continue };
            for (key, value) in pairs(rest)? {
                match key {
                    "verdict" => verdict = Some(value.to_string()),
                    "kind" => header.kinds = alternatives(value),
                    "runs" => header.runs = Some(value.parse().map_err(|_| format!("runs={value}"))?),
                    "location" => header.location = Some(place(value, path, &text)?),
                    "races" => header.races = Some(races(value, &text)?),
                    "would-order" => header.would_order = Some(marked(value, path, &text)),
                    "allocated" | "freed" | "created" | "locked" | "took" => {
                        header.deeds.push((key.to_string(), place(value, path, &text)?));
                    }
                    "caveat" => header.caveat = Some(value.to_string()),
                    "message" => header.message = Some(value.to_string()),
                    "exit" => header.exit = Some(value.parse().map_err(|_| format!("exit={value}"))?),
                    "compilers" => header.compilers = value.split(',').map(str::to_string).collect(),
                    "args" => header.args = words(value)?,
                    "argv" => header.argv = words(value)?,
                    "native" | "native-flags" => {}
                    _ => return Err(format!("unknown key {key}")),
                }
            }
        }
        let verdict = verdict.ok_or("no verdict in the header")?;
        if verdict != "any" {
            header.verdicts = alternatives(&verdict);
        }
        let known = ["verified", "complete", "bug", "partial", "error"];
        match header.verdicts.iter().find(|v| !known.contains(&v.as_str())) {
            Some(unknown) => Err(format!("unknown verdict {unknown}")),
            None => Ok(header),
        }
    }
}

/// `key=value` words; some keys take the rest of the line.
fn pairs(mut rest: &str) -> Result<Vec<(&str, &str)>, String> {
    let mut pairs = Vec::new();
    while !rest.is_empty() {
        let (key, value) = rest.split_once('=').ok_or_else(|| format!("no = in {rest}"))?;
        let whole = ["args", "argv", "native-flags"].contains(&key);
        let (value, after) = match value.strip_prefix('"') {
            _ if whole => (value, ""),
            Some(quoted) => quoted.split_once('"').ok_or_else(|| format!("a quote is not closed: {rest}"))?,
            None => value.split_once(' ').unwrap_or((value, "")),
        };
        pairs.push((key, value));
        rest = after.trim_start();
    }
    Ok(pairs)
}

fn alternatives(value: &str) -> Vec<String> {
    value.split('|').map(str::to_string).collect()
}

fn words(value: &str) -> Result<Vec<String>, String> {
    shlex::split(value).ok_or_else(|| format!("a quote is not closed: {value}"))
}

fn place(value: &str, path: &Path, text: &str) -> Result<String, String> {
    if !value.bytes().all(|b| b.is_ascii_uppercase()) {
        return Ok(value.to_string());
    }
    let mark = format!("// {value}");
    let line =
        text.lines().position(|line| line.ends_with(&mark)).ok_or_else(|| format!("no line ends with {mark}"))?;
    Ok(format!("{}:{}", path.file_name().unwrap_or_default().to_string_lossy(), line + 1))
}

/// Marks replaced by their places.
fn marked(value: &str, path: &Path, text: &str) -> String {
    let file = path.strip_prefix(crate::workspace()).unwrap_or(path).display();
    let marks = text.lines().enumerate().filter_map(|(line, text)| Some((line + 1, text.rsplit_once("// ")?.1)));
    let marks = marks.filter(|(_, mark)| mark.starts_with('@') && !mark.contains(' '));
    marks.fold(value.to_string(), |value, (line, mark)| value.replace(mark, &format!("{file}:{line}")))
}

fn races(value: &str, text: &str) -> Result<BTreeSet<(u64, u64)>, String> {
    let line = |mark: &str| {
        let at = text.lines().position(|line| line.ends_with(&format!("// @{mark}")));
        at.map(|index| index as u64 + 1).ok_or_else(|| format!("no line ends with // @{mark}"))
    };
    let pair = |pair: &str| {
        let (first, second) = pair.split_once('-').ok_or_else(|| format!("no - in {pair}"))?;
        let (first, second) = (line(first)?, line(second)?);
        Ok((first.min(second), first.max(second)))
    };
    if value == "none" { Ok(BTreeSet::new()) } else { value.split(',').map(pair).collect() }
}
