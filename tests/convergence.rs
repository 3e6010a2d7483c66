//! Every program under `programs/` in every mode: Iterative Deepening, always the largest space, and one space with points
//! everywhere come to the same verdict and, with `--keep-going`, to the same bugs. What a single space does not settle
//! within 30,000 runs is left out; where the header says that it will not, 3,000 are tried.

#![forbid(unsafe_code)]

use gabion_tests::build::{REBUILT, build, why_not_rebuilt};
use gabion_tests::header::Header;
use gabion_tests::run::{LIMIT, call, gabion};
use gabion_tests::{programs, slow, threads, workspace};
use libtest_mimic::{Arguments, Failed, Trial};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::ExitCode;

/// Programs that end in an error, or differently every time, whatever the mode.
const LEFT_OUT: [&str; 2] = ["abuse", "unsupported"];
/// Options with a value that say how one space is searched, or how far. They are left out here.
const LEFT_OUT_OPTIONS: [&str; 7] =
    ["--preempt", "--mode", "--bound", "--reduction", "--max-runs", "--budget", "--budget-runs"];

fn main() -> ExitCode {
    let mut arguments = Arguments::from_args();
    arguments.test_threads.get_or_insert_with(threads);
    let mut trials = Vec::new();
    for path in programs() {
        let name = path.strip_prefix(workspace().join("programs")).expect("inside").display().to_string();
        let Ok(header) = Header::read(&path) else { continue };
        if LEFT_OUT.iter().any(|topic| name.starts_with(topic)) || header.compilers[0] == REBUILT {
            continue;
        }
        trials.push(Trial::test(name.clone(), move || slow::timed(&name, || converges(&path, &header))));
    }
    if arguments.list {
        return libtest_mimic::run(&arguments, trials).exit_code();
    }
    gabion();
    // Those who are next need a rebuilt standard library of Rust, which takes one core for a while.
    let rebuilding = std::thread::spawn(why_not_rebuilt);
    let ended = libtest_mimic::run(&arguments, trials).exit_code();
    slow::tell();
    let _ = rebuilding.join();
    ended
}

fn converges(path: &Path, header: &Header) -> Result<(), Failed> {
    let directory = tempfile::tempdir()?;
    let built = build(directory.path(), path, header, &header.compilers[0])?;
    let check = |mode: &str, more: &[&str]| -> Result<Value, String> {
        let mut args: Vec<String> =
            ["check", "--json", "-", "--minimise-runs", "0", "--mode", mode].map(String::from).into();
        args.extend(more.iter().map(ToString::to_string));
        let mut options = built.args.iter();
        while let Some(option) = options.next() {
            match option.as_str() {
                "--icb" | "--keep-going" => {}
                name if LEFT_OUT_OPTIONS.contains(&name) => drop(options.next()),
                _ => args.push(option.clone()),
            }
        }
        args.push(built.program.display().to_string());
        if !header.argv.is_empty() {
            args.push("--".into());
            args.extend(header.argv.iter().cloned());
        }
        let mut json = call(&directory.path().join("run"), &args, LIMIT)?.json()?;
        Ok(json.take())
    };
    // A space that is too large says nothing.
    let too_large = header.runs > Some(30_000) || header.args.iter().any(|arg| arg == "--budget-runs");
    let within = ["--max-runs", if too_large { "3000" } else { "30000" }];
    let single = check("single", &within)?;
    if single["verdict"] == "partial" {
        return Ok(());
    }
    let all = match single["verdict"] == "bug" && !too_large {
        true => Some(check("single", &[&within[..], &["--keep-going"]].concat())?).filter(is_settled),
        false => None,
    };
    // Points in racing threads alone differ from others where there are races.
    let racing = ["races", "deepening"].iter().any(|topic| path.parent().is_some_and(|dir| dir.ends_with(topic)));
    let keep_going: &[&str] = if all.is_some() { &["--keep-going"] } else { &[] };
    let modes = [("deepen", keep_going), ("maximal", keep_going), ("maximal", &["--race-threads"])];
    for (mode, more) in modes.into_iter().take(if racing { 3 } else { 2 }) {
        let other = check(mode, more)?;
        if other["verdict"] != single["verdict"] {
            return Err(
                format!("single: {}, {mode} {more:?}: {}\n{other:#}", single["verdict"], other["verdict"]).into()
            );
        }
        let Some(all) = all.as_ref().filter(|_| more == keep_going) else { continue };
        if bugs(&other) != bugs(all) {
            return Err(format!("single: {:?}\n{mode}: {:?}", bugs(all), bugs(&other)).into());
        }
    }
    Ok(())
}

/// Did the search come to its end, though it has found bugs?
fn is_settled(json: &Value) -> bool {
    let number = |name: &str| json[name].as_f64().unwrap_or_default();
    number("runs") <= 29_000.0
}

/// Kind and place of every bug. Of a race both places count, whichever access came second when it was first seen.
fn bugs(json: &Value) -> BTreeSet<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_string();
    let list = |name: &str| json[name].as_array().cloned().unwrap_or_default();
    let told = list("bugs").into_iter().filter(|bug| bug["kind"] != "race");
    let mut all: BTreeSet<_> = told.map(|bug| (text(&bug["kind"]), text(&bug["location"]))).collect();
    if list("bugs").iter().any(|bug| bug["kind"] == "race") {
        for race in list("races") {
            let mut places = [text(&race["first"]), text(&race["second"])];
            places.sort();
            all.insert(("race".to_string(), places.join(" and ")));
        }
    }
    all
}
