//! What a Rust program said when it panicked: the default hook's words, on standard error.
//!
//! ```text
//! thread 'main' (7) panicked at src/main.rs:11:5:
//! assertion `left == right` failed
//!   left: 1
//!  right: 2
//! note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace
//! ```
//! Missed: programs with a hook of their own that says something else; then the place is where the run ended.

/// A panic in words, and where it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Panic {
    pub(crate) message: String,
    pub(crate) file: String,
    pub(crate) line: u32,
}

const PANICKED: &str = " panicked at ";
/// What is left of another thread's panic when a join is unwrapped, or a scope ends.
const PASSED_ON: [&str; 2] = ["Any { .. }", "a scoped thread panicked"];

impl Panic {
    /// The one that ended the program: the last, or, if that only passes on what a joined thread said, the one before.
    pub(crate) fn of(output: &str) -> Option<Panic> {
        let lines: Vec<&str> = output.lines().collect();
        let mut all: Vec<Panic> = (0..lines.len()).filter_map(|at| Panic::at(&lines[at..])).collect();
        let last = all.pop()?;
        match all.pop() {
            Some(cause) if PASSED_ON.iter().any(|words| last.message.contains(words)) => Some(cause),
            _ => Some(last),
        }
    }

    fn at(lines: &[&str]) -> Option<Panic> {
        let (thread, place) = lines.first()?.split_once(PANICKED)?;
        let mut parts = place.trim_end_matches(':').rsplitn(3, ':');
        let (_column, line, file) = (parts.next()?, parts.next()?, parts.next()?);
        let words = lines[1..].iter().take_while(|line| {
            !line.starts_with("note: ") && !line.starts_with("stack backtrace:") && !line.contains(PANICKED)
        });
        let words: Vec<&str> = words.map(|line| line.trim()).filter(|line| !line.is_empty()).collect();
        let line = line.parse().ok().filter(|_| thread.starts_with("thread "))?;
        Some(Panic { message: format!("panicked: {}", words.join(", ")), file: file.to_owned(), line })
    }
}

#[cfg(test)]
mod tests {
    use super::Panic;

    #[test]
    fn the_cause_is_told() {
        let check = |output: &str, message: &str, file: &str, line: u32| {
            let expected = Panic { message: message.to_owned(), file: file.to_owned(), line };
            assert_eq!(Panic::of(output), Some(expected));
        };
        let one = "thread 'main' (7) panicked at src/a.rs:11:5:\nassertion failed\n  left: 1\nnote: run with\n";
        check(one, "panicked: assertion failed, left: 1", "src/a.rs", 11);
        let passed_on = "thread '<unnamed>' (8) panicked at a.rs:3:1:\nboom\nthread 'main' (7) panicked at a.rs:9:2:\n\
                         called `Result::unwrap()` on an `Err` value: Any { .. }\n";
        check(passed_on, "panicked: boom", "a.rs", 3);
        assert_eq!(Panic::of("nothing of the kind"), None);
    }
}
