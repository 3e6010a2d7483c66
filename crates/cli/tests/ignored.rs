//! Signals that were ignored when gabion was started do not end it: a search of hours outlives its terminal under `nohup`.

mod place;

use place::{Place, ran};
use std::process::Command;

/// A search that does not end by itself.
const VAIN: &str = r#"#include <pthread.h>
static volatile int stop;
static void *work(void *arg) {
    volatile long rounds = 0;
    while (!stop) rounds++;
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    stop = 1;
    pthread_join(t, 0);
    return 0;
}
"#;

#[test]
fn what_was_ignored_stays_ignored() {
    let place = Place::new();
    place.write("vain.c", VAIN);
    for signal in ["HUP", "INT"] {
        // One signal after another, as long as there is somebody to get it.
        let line = format!(
            "trap '' {signal}; \"$g\" check --quiet --max-runs 1500 vain.c & p=$!; i=0; \
             while [ $i -lt 3000 ] && kill -{signal} $p 2>/dev/null; do sleep 0.05; i=$((i+1)); done; wait $p"
        );
        let output = Command::new("sh")
            .args(["-c", &line])
            .env("g", env!("CARGO_BIN_EXE_gabion"))
            .current_dir(place.0.path())
            .stdin(std::process::Stdio::null())
            .output()
            .expect("a shell starts");
        let ran = ran(output);
        assert_eq!(ran.status, 3, "{signal}: {}", ran.err);
        assert!(ran.out.contains("1,500 runs") && !ran.out.contains("interrupted"), "{signal}: {}", ran.out);
    }
}
