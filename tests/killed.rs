//! Campaigns under fire: processes of the program killed at any moment, and whole campaigns killed and resumed, come to the
//! verdict of those that are left alone.

#![forbid(unsafe_code)]

use gabion_tests::run::{LIMIT, call, start};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// Processes of the program to be killed.
const KILLS: u32 = 200;
/// Whole campaigns to be killed.
const DEATHS: u32 = 12;

/// A few thousand runs in every space, all of them good; or one of them bad, late.
fn program(directory: &Path, bad: bool) -> String {
    let wrong = if bad { "assert(!(seen[0] == 0 && seen[1] == 3 && seen[2] == 1));" } else { "" };
    let source = format!(
        r"#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int turn;
static int seen[3];
static void *worker(void *arg) {{
    long me = (long)arg;
    for (int i = 0; i < 3; i++)
        seen[me] = atomic_fetch_add(&turn, 1) % 4;
    return 0;
}}
int main(void) {{
    pthread_t t[3];
    for (long i = 0; i < 3; i++)
        pthread_create(&t[i], 0, worker, (void *)i);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], 0);
    {wrong}
}}
"
    );
    let path = directory.join("program.c");
    std::fs::write(&path, source).expect("a file can be written");
    let program = directory.join("program").display().to_string();
    let args = ["cc", "-g", "-pthread", &path.display().to_string(), "-o", &program].map(String::from);
    let built = call(&directory.join("build"), &args, LIMIT).expect("the compiler ends");
    assert_eq!(built.code(), Ok(0), "{}", built.tail());
    program
}

fn words(args: &[&str]) -> Vec<String> {
    args.iter().map(ToString::to_string).collect()
}

/// Processes whose parent is this one.
fn children(of: u32) -> Vec<u32> {
    let output = Command::new("ps").args(["-o", "pid=", "--ppid", &of.to_string()]).output().expect("ps works");
    String::from_utf8_lossy(&output.stdout).split_whitespace().filter_map(|pid| pid.parse().ok()).collect()
}

fn kill(pid: u32) -> bool {
    let sent = Command::new("kill").args(["-s", "KILL", &pid.to_string()]).output().expect("kill works");
    sent.status.success()
}

/// Spaces that were explored whole.
fn complete(report: &Value) -> Vec<Value> {
    let spaces = report["state_spaces"].as_array().into_iter().flatten();
    spaces.filter(|space| space["status"] == "complete").map(|space| space["preempt"].clone()).collect()
}

#[test]
fn processes_may_be_killed_at_any_moment() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let program = program(directory.path(), false);
    let args = words(&["check", "--json", "-", "--jobs", "2", "--reduction", "dpor", &program]);
    let alone = call(&directory.path().join("alone"), &args, LIMIT).expect("it ends").json().expect("a report");
    assert_eq!(alone["verdict"], "verified", "{alone:#}");
    let (mut killed, mut pause) = (0, 3u64);
    let begin = Instant::now();
    while killed < KILLS && begin.elapsed() < LIMIT {
        let running = start(&directory.path().join("run"), &args);
        while running.is_running() && killed < KILLS {
            std::thread::sleep(Duration::from_millis(pause % 23));
            pause = pause * 7 % 1009;
            killed += children(running.id()).into_iter().filter(|pid| kill(*pid)).count() as u32;
        }
        let output = running.wait(LIMIT).expect("it ends");
        let report = output.json().expect("a report");
        assert_eq!(report["verdict"], alone["verdict"], "{report:#}");
        assert_eq!(complete(&report), complete(&alone));
    }
    assert!(killed >= KILLS, "only {killed} processes were killed");
}

#[test]
fn a_campaign_that_is_killed_goes_on() {
    for (bad, verdict) in [(false, "verified"), (true, "bug")] {
        let directory = tempfile::tempdir().expect("a temporary directory can be made");
        let program = program(directory.path(), bad);
        let kept = directory.path().join("kept").display().to_string();
        let file = directory.path().join("kept/campaign.json");
        let written = || std::fs::metadata(&file).and_then(|file| file.modified()).ok();
        let args =
            words(&["check", "--json", "-", "--reduction", "dpor", "--resume", &kept, "--keep-every", "0s", &program]);
        let mut resumed = 0;
        // Where everything is over before the first death, there is another campaign.
        let begin = Instant::now();
        while resumed == 0 && begin.elapsed() < LIMIT {
            let _ = std::fs::remove_dir_all(&kept);
            for death in 0..DEATHS {
                let before = written();
                let running = start(&directory.path().join("run"), &args);
                // Not before it has got somewhere.
                while running.is_running() && written() == before {
                    std::thread::sleep(Duration::from_millis(1));
                }
                std::thread::sleep(Duration::from_millis(u64::from(death) * 7 % 31));
                if !running.is_running() {
                    break;
                }
                kill(running.id());
                drop(running.wait(LIMIT));
                let text = std::fs::read_to_string(&file).expect("what was kept");
                resumed += u32::from(serde_json::from_str::<Value>(&text).expect("whole")["campaign"]["spent"][0] != 0);
            }
        }
        assert!(resumed > 0, "nothing was ever taken up again");
        let output = call(&directory.path().join("run"), &args, LIMIT).expect("it ends");
        let report = output.json().expect("a report");
        assert_eq!(report["verdict"], verdict, "{report:#}");
        // What is over stays over.
        let again = call(&directory.path().join("run"), &args, LIMIT).expect("it ends").json().expect("a report");
        assert_eq!((&again["verdict"], &again["runs"]), (&report["verdict"], &report["runs"]));
    }
}

#[test]
fn what_is_kept_belongs_to_a_program_and_its_options() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let program = program(directory.path(), false);
    let kept = directory.path().join("kept");
    let check = |more: &[&str]| {
        let dir = kept.display().to_string();
        let args = words(&[&["check", "--resume", &dir, "--budget-runs", "50"], more, &[&program]].concat());
        call(&directory.path().join("run"), &args, LIMIT).expect("it ends")
    };
    assert_eq!(check(&[]).code(), Ok(3));
    let other = check(&["--keep-going"]);
    assert_eq!(other.code(), Ok(2), "{}", other.tail());
    assert!(other.tail().contains("name another directory"), "{}", other.tail());
    // Every 1,009th byte of it; crates/deepen/tests/kept.rs has them all.
    let file = kept.join("campaign.json");
    let good = std::fs::read(&file).expect("what was kept");
    let damaged = (0..good.len()).step_by(1009).map(|at| {
        let mut bytes = good.clone();
        bytes[at] ^= 1;
        bytes
    });
    for bytes in damaged.chain([b"{".to_vec(), Vec::new(), good[..good.len() / 2].to_vec()]) {
        std::fs::write(&file, bytes).expect("a file can be written");
        let broken = check(&[]);
        assert_eq!(broken.code(), Ok(2), "{}", broken.tail());
        assert!(broken.tail().contains("campaign.json") && broken.tail().contains("damaged"), "{}", broken.tail());
    }
    std::fs::write(&file, br#"{"version":5,"program":1}"#).expect("a file can be written");
    let older = check(&[]);
    assert_eq!(older.code(), Ok(2), "{}", older.tail());
    assert!(older.tail().contains("another version of gabion"), "{}", older.tail());
}

/// Directories for programs and the like, below the directory of a call.
fn temporary(directory: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory.join("tmp")).into_iter().flatten().flatten();
    let is_ours = |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("gabion-"));
    entries.map(|entry| entry.path()).filter(is_ours).collect()
}

/// Both calls have one directory for temporary files. What belongs to a gabion that lives stays; what a killed one has left goes.
#[test]
fn the_next_start_tidies_what_is_nobodys() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    program(directory.path(), false);
    let source = directory.path().join("program.c").display().to_string();
    let run = directory.path().join("run");
    let slow = words(&["check", "--mode", "single", "--reduction", "none", "--preempt", "everywhere", &source]);
    let begin = Instant::now();
    let running = start(&run, &slow);
    // The program has been built once there are processes of it.
    while !children(running.id()).iter().any(|pid| is_program(*pid, &run)) {
        assert!(running.is_running() && begin.elapsed() < LIMIT, "the program was never run");
        std::thread::sleep(Duration::from_millis(1));
    }
    let [own] = &temporary(&run)[..] else { panic!("one directory: {:?}", temporary(&run)) };
    let other = words(&["check", "--budget-runs", "1", &source]);
    assert_eq!(call(&directory.path().join("run"), &other, LIMIT).expect("it ends").code(), Ok(3));
    assert!(own.join("program").exists(), "what the living one has is gone");
    kill(running.id());
    let ended = running.wait(LIMIT).expect("it ends");
    assert!(ended.left_behind.is_empty(), "{:?}", ended.left_behind);
    assert!(own.join("program").exists(), "nobody could tidy it yet");
    assert_eq!(call(&run, &other, LIMIT).expect("it ends").code(), Ok(3));
    assert_eq!(temporary(&run), Vec::<PathBuf>::new());
}

/// Does that process run what lies in this directory?
fn is_program(pid: u32, directory: &Path) -> bool {
    std::fs::read_link(format!("/proc/{pid}/exe")).is_ok_and(|exe| exe.starts_with(directory))
}
