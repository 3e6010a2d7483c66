//! Makes a program that failed smaller, as long as it fails: threads lose statements, and statements their bodies.

use crate::check::{Case, Expected, check};
use crate::program::{Statement, parts_mut};

/// Attempts at most.
const ATTEMPTS: usize = 150;

/// The smallest case that fails, in words.
pub fn told(case: &Case, why: &str) -> String {
    let (case, why) = smaller(case.clone(), why.to_owned());
    let source = Expected::of(&case.program).map_or_else(String::new, |expected| case.source(&expected));
    format!(
        "==== program {} ({} -O{} {:?}): {why}\n---- smallest\n{:#?}\n{source}",
        case.number, case.compiler, case.level, case.how, case.program.threads
    )
}

fn fails(case: &Case) -> Option<String> {
    let expected = Expected::of(&case.program)?;
    let directory = tempfile::tempdir().ok()?;
    check(case, &expected, directory.path()).err().filter(|why| !why.starts_with("it does not compile"))
}

fn smaller(mut case: Case, mut why: String) -> (Case, String) {
    let mut attempts = 0;
    'again: loop {
        for thread in 0..case.program.threads.len() {
            for change in 0.. {
                let mut other = case.clone();
                let mut left = change;
                if !reduce(&mut other.program.threads[thread], &mut left) {
                    break;
                }
                attempts += 1;
                if attempts > ATTEMPTS {
                    return (case, why);
                }
                if let Some(other_why) = fails(&other) {
                    (case, why) = (other, other_why);
                    continue 'again;
                }
            }
        }
        return (case, why);
    }
}

/// Makes the change of this number; false if there are no more.
fn reduce(statements: &mut Vec<Statement>, left: &mut usize) -> bool {
    for at in 0..statements.len() {
        if *left == 0 {
            statements.remove(at);
            return true;
        }
        *left -= 1;
        for part in parts_mut(&mut statements[at]) {
            if reduce(part, left) {
                return true;
            }
        }
    }
    false
}
