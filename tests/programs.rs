//! Every program under `programs/`, with every compiler its header names: the verdict, kind, exact number of runs and
//! place that the header promises; and for every program the same laws: a second check says the same, a bug replays
//! a thousand times out of a thousand (fifty, if it fails before there are threads, so that each time takes a process of its own), no process is left behind, nothing takes longer than its limit.
//!
//! `cargo test -p gabion-tests --test programs cond/` runs those whose name contains the word.

#![forbid(unsafe_code)]

use gabion_tests::build::{Built, REBUILT, build, why_not_rebuilt};
use gabion_tests::header::Header;
use gabion_tests::run::{LIMIT, Output, call, gabion};
use gabion_tests::{programs, slow, threads, workspace};
use libtest_mimic::{Arguments, Failed, Trial};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments = Arguments::from_args();
    arguments.test_threads.get_or_insert_with(threads);
    let mut trials = Vec::new();
    let mut rebuilt = Vec::new();
    for path in programs() {
        let name = path.strip_prefix(workspace().join("programs")).expect("inside").display().to_string();
        match Header::read(&path) {
            Err(error) => trials.push(Trial::test(name, move || Err(Failed::from(error)))),
            Ok(header) => {
                for compiler in header.compilers.clone() {
                    let case = Case { path: path.clone(), header: header.clone(), compiler };
                    let cases = if case.compiler == REBUILT { &mut rebuilt } else { &mut trials };
                    let name = format!("{name} [{}]", case.compiler);
                    cases.push(Trial::test(name.clone(), move || slow::timed(&name, || case.run())));
                }
            }
        }
    }
    if !arguments.list {
        gabion();
        if let Some(why) = why_not_rebuilt() {
            println!("{} programs are not checked with a rebuilt standard library of Rust: {why}", rebuilt.len());
            rebuilt.clear();
        }
    }
    trials.extend(rebuilt);
    let ended = libtest_mimic::run(&arguments, trials).exit_code();
    slow::tell();
    ended
}

/// One program with one compiler.
struct Case {
    path: PathBuf,
    header: Header,
    compiler: String,
}

impl Case {
    fn run(self) -> Result<(), Failed> {
        let directory = tempfile::tempdir()?;
        let built = build(directory.path(), &self.path, &self.header, &self.compiler)?;
        let first = self.check(&built, &directory.path().join("first"))?;
        let abuse = self.path.components().any(|c| c.as_os_str() == "abuse");
        if !abuse {
            let second = self.check(&built, &directory.path().join("second"))?;
            if stable(&first) != stable(&second) {
                return Err(format!("two checks differ:\n{}\n{}", stable(&first), stable(&second)).into());
            }
        }
        let bugs: Vec<&Value> = first["bugs"].as_array().into_iter().flatten().collect();
        let traces: BTreeSet<_> = bugs.iter().map(|bug| bug["trace"].as_str()).collect();
        if traces.len() != bugs.len() {
            return Err(format!("{} bugs have the traces {traces:?}", bugs.len()).into());
        }
        for bug in bugs {
            let times = match bug["threads"].as_u64() {
                _ if abuse => 1,
                Some(0) => 50,
                _ => 1000,
            };
            self.replay(&directory.path().join("first"), bug, times)?;
        }
        Ok(())
    }

    /// `gabion check`, compared with the header.
    fn check(&self, built: &Built, directory: &Path) -> Result<Value, String> {
        let mut args: Vec<String> = ["check", "--json", "-", "--trace", "bug.trace"].map(String::from).into();
        args.extend(built.args.iter().cloned());
        // Numbers of runs, and all races of a space, are told of one space.
        let counted = self.header.runs.is_some() || self.header.races.is_some();
        if counted && !self.header.args.iter().any(|arg| arg == "--mode" || arg == "--preempt") {
            args.extend(["--mode", "single"].map(String::from));
        }
        args.push(built.program.display().to_string());
        if !self.header.argv.is_empty() {
            args.push("--".into());
            args.extend(self.header.argv.iter().cloned());
        }
        let output = call(directory, &args, LIMIT)?;
        let json = output.json()?;
        self.compare(&json, &output).map_err(|what| format!("{what}\n{json:#}\n{}", output.stderr))?;
        Ok(json)
    }

    fn compare(&self, json: &Value, output: &Output) -> Result<(), String> {
        let expected = &self.header;
        let verdict = json["verdict"].as_str().ok_or("no verdict")?;
        let one_of = |allowed: &[String], value: &str| allowed.is_empty() || allowed.iter().any(|a| a == value);
        if !one_of(&expected.verdicts, verdict) {
            return Err(format!("verdict {verdict}, not {}", expected.verdicts.join(" or ")));
        }
        let status = expected.exit.unwrap_or(match verdict {
            "verified" | "complete" => 0,
            "bug" => 1,
            "partial" => 3,
            _ => 2,
        });
        if output.code()? != status {
            return Err(format!("exit status {}, not {status}", output.code()?));
        }
        if !output.left_behind.is_empty() {
            return Err(format!("processes left behind: {}", output.left_behind.join(", ")));
        }
        if let Some(runs) = expected.runs.filter(|runs| json["complete_runs"] != *runs) {
            return Err(format!("{} complete runs, not {runs}", json["complete_runs"]));
        }
        gabion_tests::claims::runs_add_up(json)?;
        self.compare_races(json)?;
        self.compare_orders(json)?;
        let named =
            |kind: &str| json["scope"]["caveats"].as_array().is_some_and(|all| all.iter().any(|c| c["kind"] == kind));
        if let Some(kind) = expected.caveat.as_deref().filter(|kind| !named(kind)) {
            return Err(format!("no caveat {kind}"));
        }
        self.compare_bug(json, verdict)
    }

    fn compare_races(&self, json: &Value) -> Result<(), String> {
        let Some(expected) = &self.header.races else { return Ok(()) };
        let line = |place: &Value| place.as_str().and_then(|p| p.rsplit(':').next()?.parse::<u64>().ok());
        let mut found = BTreeSet::new();
        for race in json["races"].as_array().into_iter().flatten() {
            let (first, second) = (line(&race["first"]), line(&race["second"]));
            let (first, second) = first.zip(second).ok_or_else(|| format!("a race without lines: {race}"))?;
            found.insert((first.min(second), first.max(second)));
        }
        if found == *expected { Ok(()) } else { Err(format!("races {found:?}, not {expected:?}")) }
    }

    fn compare_orders(&self, json: &Value) -> Result<(), String> {
        let Some(expected) = &self.header.would_order else { return Ok(()) };
        let races = json["races"].as_array().into_iter().flatten();
        let here = format!("{}/", gabion_tests::workspace().display());
        let mut told = races.filter_map(|race| race["would_order"].as_str()).map(|orders| orders.replace(&here, ""));
        match expected.as_str() {
            "none" => told.next().map_or(Ok(()), |orders| Err(format!("said to order a race: {orders}"))),
            part if told.any(|orders| orders.contains(part)) => Ok(()),
            part => Err(format!("not said to order a race: {part}")),
        }
    }

    fn compare_bug(&self, json: &Value, verdict: &str) -> Result<(), String> {
        let bug = &json["bugs"][0];
        if (verdict == "bug") != bug.is_object() {
            return Err("a bug without a finding, or a finding without the verdict".into());
        }
        let kind = bug["kind"].as_str().unwrap_or_default();
        if !self.header.kinds.is_empty() && !self.header.kinds.iter().any(|k| k == kind) {
            return Err(format!("kind {kind}, not {}", self.header.kinds.join(" or ")));
        }
        let place = bug["location"].as_str().unwrap_or_default();
        if self.header.location.as_ref().is_some_and(|wanted| !place.ends_with(wanted.as_str())) {
            return Err(format!("location {place}, not {}", self.header.location.clone().unwrap_or_default()));
        }
        let said = bug["message"].as_str().unwrap_or_default();
        for (deed, place) in &self.header.deeds {
            let mut parts = said.split("; ").filter(|part| part.starts_with(&format!("{deed} by T")));
            let waiting = bug["waiting"].as_array().into_iter().flatten().filter_map(Value::as_str);
            let holds = |part: &str| part.contains(&format!("{deed} it")) && part.ends_with(place.as_str());
            let mut held = waiting.flat_map(|line| line.split("; "));
            if !parts.any(|part| part.ends_with(place.as_str())) && !held.any(holds) {
                return Err(format!("not {deed} at {place} in {said}"));
            }
        }
        let message = format!("{} {}", bug["message"], json["error"]);
        match &self.header.message {
            Some(part) if !message.contains(part) => Err(format!("no {part} in {message}")),
            _ => Ok(()),
        }
    }

    /// The bug shows again, every time.
    fn replay(&self, directory: &Path, bug: &Value, times: u64) -> Result<(), String> {
        let trace = bug["trace"].as_str().ok_or("the bug has no trace")?;
        let args = ["replay", trace, "--times", &times.to_string()].map(String::from);
        let output = call(directory, &args, LIMIT)?;
        let every_time = match times {
            1 => true,
            1000 => output.stdout.contains("1,000 times out of 1,000"),
            _ => output.stdout.contains(&format!("{times} times out of {times}")),
        };
        // What a program does after it has overwritten everything is undefined: then a clear answer is enough.
        let defined = self.header.verdicts == ["bug"];
        let again = output.code()? == 1 || (!defined && output.code()? == 2);
        if !again || !every_time || !output.left_behind.is_empty() {
            return Err(format!(
                "replay --times {times} ended with {}, left {:?}\n{}",
                output.code()?,
                output.left_behind,
                output.tail()
            ));
        }
        Ok(())
    }
}

/// What must not differ between two checks: everything but times.
fn stable(json: &Value) -> Value {
    let mut json = json.clone();
    for key in ["elapsed_s", "minimise_s", "runs_per_s", "estimate"] {
        json[key] = Value::Null;
    }
    json
}
