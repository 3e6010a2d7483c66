//! Members of global variables of compiled programs.

use crate::Symbols;
use crate::program::Module;
use gabion_trace::Address;
use std::path::Path;
use std::process::Command;

const C: &str = "
#include <pthread.h>
#include <stdatomic.h>
typedef struct { short low, high; int value; } slot;
struct queue {
    const char *name;
    pthread_mutex_t lock;
    volatile int head;
    slot slots[3];
    struct { int in, out; };
    union { int whole; float part; };
    union { long both[2]; char first; } shared;
    unsigned ready : 1, done : 3;
    char last;
    long end;
} queue;
int grid[2][3];
int plain;
_Atomic slot whole;
typedef const struct queue *pointer;
pointer other = &queue;
struct { int a; } hidden[2];
static int within(void) { static struct { int calls, fails; } counts; return counts.fails++; }
int main(void) { return within(); }
";

const CPP: &str = "
#include <array>
#include <atomic>
#include <mutex>
struct Base { virtual ~Base() {} int id; char mark; };
struct Left { int x; int left; };
struct Right { int x; int right; };
struct Both : Base, Left, Right { char own; std::mutex m; std::atomic<int> n; static int made; int id2; };
struct Again : Base { int id; };
struct Derived : virtual Left { int mine; };
namespace shop { Both both; Again again; Derived derived; struct Till { static struct Left left; }; Left Till::left; }
int Both::made;
std::array<int, 4> numbers;
int main() {}
";

const RUST: &str = "
use std::sync::Mutex;
use std::sync::atomic::AtomicU32;
#[repr(C)] pub struct Shared { total: Mutex<i32>, counts: [AtomicU32; 3], pair: (u8, u64), inner: Inner, kind: Kind, text: &'static str }
#[repr(C)] pub struct Inner(u16, u16);
#[repr(C)] pub enum Kind { One(u32), #[allow(dead_code)] Two(u64) }
#[unsafe(no_mangle)] pub static SHARED: Shared = Shared { total: Mutex::new(0),
    counts: [const { AtomicU32::new(0) }; 3], pair: (1, 2), inner: Inner(3, 4), kind: Kind::One(1), text: \"text\" };
#[unsafe(no_mangle)] pub static LOCK: Mutex<(i32, i32)> = Mutex::new((0, 0));
fn main() { std::hint::black_box((&SHARED, &LOCK)); }
";

/// Builds a program, and gives the name for bytes of a variable.
fn names(file: &str, source: &str, compiler: &[&str]) -> impl FnMut(&str, u64, u64) -> String {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let (path, program) = (directory.path().join(file), directory.path().join("program"));
    std::fs::write(&path, source).expect("a file can be written");
    let mut command = Command::new(compiler[0]);
    let status = command.args(&compiler[1..]).arg("-g").arg(&path).arg("-o").arg(&program).status();
    assert!(status.is_ok_and(|status| status.success()), "{compiler:?} does not build {file}");
    let mut symbols = loaded(&program);
    move |variable, offset, size| {
        // Types are read when they are asked for.
        assert!(directory.path().exists());
        let at = symbols.address(variable).unwrap_or_else(|| panic!("there is no {variable}"));
        symbols.object(Address::memory(at + offset), size)
    }
}

fn loaded(program: &Path) -> Symbols {
    let base = 0x5_0000_0000;
    Symbols::new(vec![Module { path: program.to_owned(), base, end: base + 1 }])
}

#[test]
fn members_in_c() {
    for compiler in [&["gcc", "-O0"], &["gcc", "-O2"], &["gcc", "-gdwarf-4"], &["clang", "-O0"]] {
        let mut names = names("a.c", C, compiler);
        let mut check = |variable: &str, offset: u64, size: u64, expected: &str| {
            assert_eq!(names(variable, offset, size), expected, "{compiler:?} {variable} {offset} {size}");
        };
        check("queue", 0, 8, "queue.name");
        // A copy of more than a member is of no member.
        check("queue", 0, 16, "queue");
        check("queue", 3, 1, "queue.name+3");
        check("queue", 8, 1, "queue.lock");
        check("queue", 16, 4, "queue.lock+8");
        check("queue", 48, 4, "queue.head");
        check("queue", 52, 2, "queue.slots[0].low");
        check("queue", 52, 8, "queue.slots[0]");
        check("queue", 52, 24, "queue.slots");
        check("queue", 70, 2, "queue.slots[2].high");
        check("queue", 72, 4, "queue.slots[2].value");
        check("queue", 80, 4, "queue.out");
        // Any of a union that has several there may be meant.
        check("queue", 84, 4, "queue+84");
        check("queue", 88, 1, "queue.shared");
        check("queue", 96, 8, "queue.shared.both[1]");
        check("queue", 104, 1, "queue+104");
        check("queue", 105, 1, "queue.last");
        check("queue", 106, 1, "queue+106");
        check("queue", 112, 8, "queue.end");
        check("grid", 0, 4, "grid[0][0]");
        check("grid", 20, 4, "grid[1][2]");
        check("grid", 20, 8, "grid+20");
        check("plain", 0, 4, "plain");
        check("plain", 1, 1, "plain+1");
        check("whole", 0, 8, "whole");
        check("other", 0, 8, "other");
        check("hidden", 4, 4, "hidden[1].a");
        let counts = if compiler[0] == "clang" { "within.counts" } else { "counts" };
        check(counts, 4, 4, &format!("{counts}.fails"));
    }
}

#[test]
fn members_in_cpp() {
    for compiler in [&["g++", "-O0"], &["g++", "-O2"], &["clang++", "-O0"]] {
        let mut names = names("a.cpp", CPP, compiler);
        let mut check = |variable: &str, offset: u64, size: u64, expected: &str| {
            assert_eq!(names(variable, offset, size), expected, "{compiler:?} {variable} {offset} {size}");
        };
        // The pointer to the virtual table is the compiler's.
        check("shop::both", 0, 8, "shop::both");
        check("shop::both", 8, 4, "shop::both.id");
        check("shop::both", 12, 1, "shop::both.mark");
        check("shop::both", 16, 4, "shop::both+16");
        check("shop::both", 20, 4, "shop::both.left");
        check("shop::both", 24, 4, "shop::both+24");
        check("shop::both", 28, 4, "shop::both.right");
        check("shop::both", 32, 1, "shop::both.own");
        check("shop::both", 40, 1, "shop::both.m");
        check("shop::both", 44, 4, "shop::both.m+4");
        check("shop::both", 80, 4, "shop::both.n");
        check("shop::both", 84, 4, "shop::both.id2");
        check("shop::again", 8, 4, "shop::again+8");
        check("shop::again", 12, 1, "shop::again.mark");
        check("shop::derived", 8, 4, "shop::derived.mine");
        check("shop::derived", 12, 4, "shop::derived+12");
        check("shop::Till::left", 4, 4, "shop::Till::left.left");
        check("Both::made", 0, 4, "Both::made");
        check("numbers", 8, 4, "numbers+8");
    }
}

#[test]
fn members_in_rust() {
    for compiler in [&["rustc", "-Copt-level=0"], &["rustc", "-Copt-level=2"]] {
        let mut names = names("a.rs", RUST, compiler);
        let mut check = |variable: &str, offset: u64, size: u64, expected: &str| {
            assert_eq!(names(variable, offset, size), expected, "{compiler:?} {variable} {offset} {size}");
        };
        check("SHARED", 0, 4, "SHARED.total");
        check("SHARED", 8, 4, "SHARED.total+8");
        check("SHARED", 12, 4, "SHARED.counts[0]");
        check("SHARED", 20, 4, "SHARED.counts[2]");
        check("SHARED", 40, 2, "SHARED.inner.0");
        check("SHARED", 42, 2, "SHARED.inner.1");
        check("SHARED", 48, 4, "SHARED.kind");
        check("SHARED", 56, 4, "SHARED.kind+8");
        check("SHARED", 64, 8, "SHARED.text");
        check("SHARED", 72, 8, "SHARED.text+8");
        check("LOCK", 8, 4, "LOCK+8");
    }
}
