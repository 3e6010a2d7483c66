//! A directory in which gabion is called, and a program for it.
#![allow(dead_code)] // each test needs some of it

use std::path::PathBuf;
use std::process::{Command, Output};

/// What a call of gabion came to.
pub struct Ran {
    pub status: i32,
    pub out: String,
    pub err: String,
}

/// A directory of its own for one test, in which gabion is started.
pub struct Place(pub tempfile::TempDir);

impl Place {
    pub fn new() -> Self {
        Place(tempfile::tempdir().expect("a temporary directory"))
    }
    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }
    pub fn write(&self, name: &str, text: impl AsRef<[u8]>) -> &Self {
        std::fs::write(self.path(name), text).expect("a file");
        self
    }
    pub fn gabion(&self, args: &[&str]) -> Ran {
        let output = Command::new(env!("CARGO_BIN_EXE_gabion"))
            .args(args)
            .current_dir(self.0.path())
            .env("GABION_PREBUILT_STD", "as the tests ask for it")
            .stdin(std::process::Stdio::null())
            .output()
            .expect("gabion starts");
        ran(output)
    }
}

/// The end of a call.
pub fn ran(output: Output) -> Ran {
    Ran {
        status: output.status.code().expect("gabion is not killed"),
        out: String::from_utf8(output.stdout).expect("text"),
        err: String::from_utf8(output.stderr).expect("text"),
    }
}

/// Two threads that count without a lock.
pub const RACY: &str = r#"#include <assert.h>
#include <pthread.h>
#include <stdio.h>
static int counter;
static void *worker(void *arg) {
    int seen = counter;
    counter = seen + 1;
    return arg;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    printf("counter is %d\n", counter);
    assert(counter == 2);
    return 0;
}
"#;

/// The same with one.
pub fn locked() -> String {
    RACY.replace("static int counter;", "static int counter;\nstatic pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;")
        .replace("    int seen", "    pthread_mutex_lock(&m);\n    int seen")
        .replace("    return arg;", "    pthread_mutex_unlock(&m);\n    return arg;")
}
