//! What a person reads when a program has more interleavings than the budget has runs. The runs are the same on every machine,
//! so all of it is compared but the time. `GABION_BLESS=1` writes what is expected anew.

#![forbid(unsafe_code)]

use gabion_tests::run::{LIMIT, call};
use gabion_tests::workspace;

#[test]
fn a_hopeless_program_leaves_an_account_of_what_was_covered() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let program = workspace().join("programs/deepening/hopeless.c").display().to_string();
    let args = ["check", "-q", "--budget-runs", "3000", &program].map(String::from);
    let output = call(directory.path(), &args, LIMIT).expect("it ends");
    assert_eq!(output.code(), Ok(3), "{}", output.tail());
    let root = format!("{}/", workspace().display());
    let text: String = output.stdout.replace(&root, "").lines().map(|line| without_time(line) + "\n").collect();
    let golden = workspace().join("tests/golden/hopeless.txt");
    if std::env::var_os("GABION_BLESS").is_some() {
        std::fs::write(&golden, &text).expect("it can be written");
    }
    let expected = std::fs::read_to_string(&golden).expect("it is there");
    // Where lines end depends on how long the path to the workspace was.
    let words = |text: &str| text.split_whitespace().map(str::to_string).collect::<Vec<_>>();
    assert_eq!(words(&text), words(&expected), "GABION_BLESS=1 accepts this\n{text}");
}

/// `3,000 runs in 0.40 s (7,500 runs/s), in 5 state spaces` without what differs from time to time.
fn without_time(line: &str) -> String {
    match (line.find(" runs in "), line.find("), in ")) {
        (Some(from), Some(to)) => format!("{} runs in TIME{}", &line[..from], &line[to + 1..]),
        _ => line.to_string(),
    }
}
