//! Synchronisation that gabion does not model, called by an instrumented library: refused when it is called, or told as unseen where the
//! library runs before anything could refuse. Whatever way the call takes, the verdict is not *verified*.

use serde_json::Value;
use std::process::{Command, Output, Stdio};

const PROGRAM: &str = "
#include <pthread.h>
int ask(void);
static void *work(void *unused) { return unused; }
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    int result = ask();
    pthread_join(t, 0);
    return result < 0;
}
";
const LIBRARY: &str = "#include <sys/eventfd.h>\nint ask(void) { return eventfd(0, 0); }\n";
/// A library that asks in its constructor.
const BEFORE: &str = "#include <sys/eventfd.h>\nstatic int got;\n\
    __attribute__((constructor)) static void early(void) { got = eventfd(0, 0); }\nint ask(void) { return got; }\n";
/// A function of the library's own, whose name looks like one that synchronises, reached by its address in a table.
const OWN_NAME: &str = "int timer_begin(int value) { return value + 1; }\n\
    int (*timer_table[])(int) = {timer_begin};\nint ask(void) { return timer_table[0](1); }\n";
/// A function of the program that runs before any constructor asks, and nobody later.
const FIRST: &str = "
#include <pthread.h>
int ask(void);
static int result;
static void early(void) { result = ask(); }
__attribute__((section(\".preinit_array\"), used)) static void (*entry)(void) = early;
static void *work(void *unused) { return unused; }
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    pthread_join(t, 0);
    return result < 0;
}
";
/// The library is loaded by a constructor of the program.
const LOADS: &str = "#include <dlfcn.h>\nstatic int (*found)(void);\nint ask(void) { return found(); }\n\
    __attribute__((constructor)) static void load(void) { found = dlsym(dlopen(\"./libask.so\", RTLD_NOW), \"ask\"); }\n";
/// A word between its instructions holds the function's address.
const AMONG_INSTRUCTIONS: &str = "__asm__(\".text\\n.globl indirect\\nindirect: movabs $eventfd, %rax\\n jmp *%rax\\n\");\n\
    int indirect(unsigned, int);\nint ask(void) { return indirect(0, 0); }\n";

struct Place(tempfile::TempDir);

impl Place {
    /// Builds a library of this source with these flags.
    fn with(library: &str, flags: &[&str]) -> Self {
        let place = Place(tempfile::tempdir().expect("a temporary directory"));
        place.write("ask.c", library);
        place.build(&[&["-shared", "-fPIC", "ask.c", "-o", "libask.so"], flags].concat());
        place
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.0.path().join(name), text).expect("a file");
    }

    fn gabion(&self, args: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gabion"));
        command.args(args).current_dir(self.0.path()).stdin(Stdio::null()).output().expect("gabion starts")
    }

    fn build(&self, args: &[&str]) {
        let built = self.gabion(&[&["cc"], args].concat());
        assert!(built.status.success(), "{built:?}");
    }

    /// Checks a program that is linked with the library.
    fn check(&self, program: &str) -> Value {
        self.write("program.c", program);
        self.build(&["-pthread", "program.c", "-L.", "-lask", "-Wl,-rpath,$ORIGIN", "-o", "program"]);
        self.checked()
    }

    fn checked(&self) -> Value {
        let output = self.gabion(&["check", "--json", "-", "./program"]);
        serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {output:?}"))
    }
}

fn is_refused(json: &Value) {
    let error = json["error"].as_str().unwrap_or_default();
    assert!(json["verdict"] == "error" && error.contains("not supported: eventfd, called at"), "{json}");
}

fn is_unseen(json: &Value) {
    let caveats = json["scope"]["caveats"].as_array().expect("a list");
    let told = caveats.iter().any(|caveat| {
        let place = caveat["where"].as_str().unwrap_or_default();
        caveat["kind"] == "uninstrumented-library" && (place.contains("libask.so") || place.contains("dlopen"))
    });
    assert!(json["verdict"] == "partial" && told, "{json}");
}

#[test]
fn calls_of_a_library_are_refused() {
    for flags in [&[][..], &["-Wl,--hash-style=sysv"], &["-Wl,--hash-style=gnu"], &["-fno-plt"], &["-Wl,-z,now"]] {
        is_refused(&Place::with(LIBRARY, flags).check(PROGRAM));
    }
}

#[test]
fn a_function_of_the_library_itself_is_its_own() {
    for flags in [&[][..], &["-Wl,--hash-style=sysv"]] {
        let own = Place::with(OWN_NAME, flags).check(PROGRAM);
        assert_eq!(own["verdict"], "verified", "{own}");
    }
}

#[test]
fn what_runs_before_anything_could_refuse_is_unseen() {
    is_unseen(&Place::with(BEFORE, &["-Wl,-z,initfirst"]).check(PROGRAM));
    is_unseen(&Place::with(LIBRARY, &[]).check(FIRST));
}

#[test]
fn a_library_that_a_constructor_loads_is_unseen() {
    let place = Place::with(LIBRARY, &[]);
    place.write("program.c", &format!("{LOADS}{PROGRAM}"));
    place.build(&["-pthread", "program.c", "-o", "program"]);
    is_unseen(&place.checked());
}

#[test]
fn addresses_among_instructions() {
    is_refused(&Place::with(AMONG_INSTRUCTIONS, &["-Wl,-z,notext"]).check(PROGRAM));
}
