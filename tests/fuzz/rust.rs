//! Abstract programs in Rust, on the standard library as it is. As in `c.rs`, `--cfg native` makes a program that runs ten thousand
//! times and prints which outcomes came; those with a `Once` or a channel, which cannot be made fresh, have none.

use crate::c::ROUNDS;
use crate::machine::Outcome;
use crate::program::{
    ATOMIC, CELLS, Cell, ENVIRONMENT, Guard, Kind, Look, Loop, Pause, Program, STRUCT, Statement, Statement::*,
};
use std::collections::BTreeSet;
use std::fmt::Write;

const HEAD: &str = r#"#![allow(unused, static_mut_refs, unexpected_cfgs)]
use std::cell::UnsafeCell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{Ordering::*, *};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Barrier, Condvar, Mutex, Once, OnceLock, RwLock};
use std::time::Duration;
struct Shared<T>(UnsafeCell<T>);
unsafe impl<T> Sync for Shared<T> {}
struct Me { r: i32, h: u32 }
impl Me {
    fn note(&mut self, x: i32) { self.r = x; self.h = self.h.wrapping_mul(31).wrapping_add(x as u32).wrapping_add(1); }
}
static RESULTS: [Shared<u32>; 4] = [const { Shared(UnsafeCell::new(0)) }; 4];
static M0: Mutex<()> = Mutex::new(());
static M1: Mutex<()> = Mutex::new(());
static RW: RwLock<()> = RwLock::new(());
static COND: Condvar = Condvar::new();
static LOOK: Mutex<()> = Mutex::new(());
static LOOK_COND: Condvar = Condvar::new();
static ONCE: Once = Once::new();
static LOCK: OnceLock<()> = OnceLock::new();
static SENDER: OnceLock<Sender<i32>> = OnceLock::new();
fn environment() -> i32 { std::env::var("FUZZ").map_or(0, |value| value.parse().unwrap()) }
#[cfg(native)]
fn point() {
    fence(SeqCst);
    let n = unsafe { std::arch::x86_64::_rdtsc() } >> 4 & 63;
    for _ in 32..n { std::hint::spin_loop(); }
}
#[cfg(not(native))]
fn point() { compiler_fence(SeqCst) }
"#;

/// The text of a program with the outcomes that its argument chooses from.
pub fn text(program: &Program, outcomes: &BTreeSet<Outcome>) -> String {
    let mut out = HEAD.to_owned();
    let volatile = |cell: Cell| program.variables[cell].volatile;
    for (cell, variable) in program.variables.iter().enumerate() {
        let _ = match variable.kind {
            Kind::Plain(bits) => {
                let (read, write) = match volatile(cell) {
                    true => ("p.read_volatile()", "p.write_volatile(x)"),
                    false => ("*p", "*p = x"),
                };
                writeln!(
                    out,
                    "static V{cell}: Shared<i{bits}> = Shared(UnsafeCell::new(0));\n\
                     fn get{cell}() -> i32 {{ let p = V{cell}.0.get(); unsafe {{ {read} as i32 }} }}\n\
                     fn put{cell}(x: i32) {{ let (p, x) = (V{cell}.0.get(), x as i{bits}); unsafe {{ {write} }} }}"
                )
            }
            Kind::Atomic(bits) => writeln!(
                out,
                "static V{cell}: AtomicI{bits} = AtomicI{bits}::new(0);\n\
                 fn get{cell}() -> i32 {{ V{cell}.load({}) as i32 }}",
                if bits == 16 { "Acquire" } else { "SeqCst" }
            ),
            Kind::Struct(n) => writeln!(
                out,
                "static V{cell}: Shared<[u8; {n}]> = Shared(UnsafeCell::new([0; {n}]));\n\
                 #[inline(never)] fn get{cell}() -> [u8; {n}] {{ unsafe {{ *V{cell}.0.get() }} }}\n\
                 #[inline(never)] fn put{cell}(x: [u8; {n}]) {{ unsafe {{ *V{cell}.0.get() = x }} }}"
            ),
            Kind::Field => Ok(()),
        };
    }
    let threads = program.threads.len();
    let _ = writeln!(
        out,
        "static BARRIER: std::sync::LazyLock<Barrier> = std::sync::LazyLock::new(|| Barrier::new({threads}));"
    );
    out.push_str("struct Ender;\nimpl Drop for Ender { fn drop(&mut self) { put1(get1() + 1); } }\nthread_local! { static END: Ender = const { Ender }; }\n");
    for thread in (0..threads).rev() {
        out += &body_of(program, thread);
    }
    ending(&mut out, program, outcomes);
    out
}

fn body_of(program: &Program, t: usize) -> String {
    let mut out = format!("fn t{t}(receiver: Option<&Receiver<i32>>) {{\n    let m = &mut Me {{ r: 0, h: 0 }};\n");
    let scoped = program.tokens == 0 && program.children(t).count() > 0;
    if scoped {
        out.push_str("    std::thread::scope(|scope| {\n");
    }
    for c in program.children(t) {
        let spawn = if scoped { "scope.spawn" } else { "std::thread::spawn" };
        let _ = writeln!(out, "    let h{c} = {spawn}(|| t{c}(None));");
    }
    for statement in &program.threads[t] {
        let _ = writeln!(out, "    point(); {}", one(program, statement));
    }
    for c in program.children(t) {
        let _ = writeln!(out, "    h{c}.join().unwrap();");
    }
    if scoped {
        out.push_str("    });\n");
    }
    let _ = writeln!(out, "    unsafe {{ *RESULTS[{t}].0.get() = m.h; }}\n}}");
    out
}

/// In braces.
fn block(program: &Program, statements: &[Statement]) -> String {
    let body: Vec<String> = statements.iter().map(|s| format!("point(); {}", one(program, s))).collect();
    format!("{{ {} }}", body.join(" "))
}

fn object(guard: Guard) -> &'static str {
    match guard {
        Guard::Mutex(0) => "M0",
        Guard::Mutex(_) => "M1",
        _ => "RW",
    }
}

fn one(p: &Program, statement: &Statement) -> String {
    let is_atomic = |cell: &Cell| ATOMIC.contains(cell);
    match statement {
        Set(STRUCT, c) => format!("put{STRUCT}([{c}; _]);"),
        Set(ENVIRONMENT, c) => format!("unsafe {{ std::env::set_var(\"FUZZ\", \"{c}\") }};"),
        See(ENVIRONMENT) => "m.note(environment());".into(),
        Set(cell, c) if is_atomic(cell) => {
            format!("V{cell}.store({c}, {});", if cell % 2 == 0 { "SeqCst" } else { "Release" })
        }
        Set(cell, c) => format!("put{cell}({c});"),
        Copy(to, from, plus) => format!("put{to}(get{from}() + {plus});"),
        Add(cell, c) if is_atomic(cell) => format!("V{cell}.fetch_add({c}, AcqRel);"),
        Add(cell, c) => format!("put{cell}(get{cell}() + {c});"),
        See(STRUCT) => format!("{{ let l = get{STRUCT}(); m.note(l[0] as i32 + 4 * l[l.len() - 1] as i32); }}"),
        See(cell) => format!("m.note(get{cell}());"),
        Swap(cell, c) => format!("m.note(V{cell}.swap({c}, SeqCst) as i32);"),
        Exchange(cell, from, to) => {
            format!("m.note(V{cell}.compare_exchange({from}, {to}, SeqCst, SeqCst).is_ok() as i32);")
        }
        If(value, body) => format!("if m.r == {value} {}", block(p, body)),
        Hold(guard, body) => {
            let verb = match guard {
                Guard::Read => "read",
                Guard::Write => "write",
                _ => "lock",
            };
            format!("{{ let guard = {}.{verb}().unwrap(); {} }}", object(*guard), block(p, body))
        }
        Try(guard, body) => {
            let verb = if *guard == Guard::Write { "try_write" } else { "try_lock" };
            let body = block(p, body);
            format!(
                "{{ let guard = {}.{verb}(); m.note(guard.is_ok() as i32); if guard.is_ok() {body} }}",
                object(*guard)
            )
        }
        Wait(value, body) if value % 2 == 0 => {
            format!(
                "{{ let guard = COND.wait_while(M0.lock().unwrap(), |_| get0() != {value}).unwrap(); {} }}",
                block(p, body)
            )
        }
        Wait(value, body) => format!(
            "{{ let mut guard = M0.lock().unwrap(); while get0() != {value} {{ guard = COND.wait(guard).unwrap(); }} {} }}",
            block(p, body)
        ),
        Notify { value, all, lock, inside } => {
            let signal = if *all { "COND.notify_all();" } else { "COND.notify_one();" };
            let (before, after) = if *inside { (signal, "") } else { ("", signal) };
            match lock {
                true => format!("{{ let guard = M0.lock().unwrap(); put0({value}); {before} drop(guard); {after} }}"),
                false => format!("put0({value}); {signal}"),
            }
        }
        Barrier => "BARRIER.wait();".into(),
        Once(body) if p.tokens == 0 => format!("LOCK.get_or_init(|| {});", block(p, body)),
        Once(body) => format!("ONCE.call_once(|| {});", block(p, body)),
        AtEnd => "END.with(|_| ());".into(),
        Twice(body) => format!(
            "for n in 0..2 {{ let _ = catch_unwind(AssertUnwindSafe(|| {{ {} if n == 0 {{ resume_unwind(Box::new(())); }} }})); }}",
            block(p, body)
        ),
        Escape(value, first, second) => {
            format!("'out: {{ {} if m.r == {value} {{ break 'out; }} {} }}", block(p, first), block(p, second))
        }
        Sum(cell, n, how) => {
            let text = match how {
                Loop::For => format!("for _ in 0..{n} {{ s += get{cell}(); }}"),
                Loop::While => format!("while i < {n} {{ s += get{cell}(); i += 1; }}"),
                Loop::Down => format!("for _ in (0..{n}).rev() {{ s += get{cell}(); }}"),
                Loop::Do => format!("loop {{ s += get{cell}(); i += 1; if i == {n} {{ break; }} }}"),
                Loop::Called => format!("s = (0..{n}).map(|_| get{cell}()).sum();"),
            };
            format!("{{ let (mut i, mut s) = (0, 0); {text} m.note(s); }}")
        }
        Until(cell, n, value, how) => {
            let text = match how {
                Loop::For | Loop::Down => {
                    format!("for k in 0..{n} {{ if get{cell}() == {value} {{ i = k; break; }} }}")
                }
                Loop::While => format!("i = 0; while i < {n} && get{cell}() != {value} {{ i += 1; }}"),
                Loop::Do => {
                    format!("i = 0; loop {{ if get{cell}() == {value} {{ break; }} i += 1; if i == {n} {{ break; }} }}")
                }
                Loop::Called => format!("i = (0..{n}).find(|_| get{cell}() == {value}).unwrap_or({n});"),
            };
            format!("{{ let mut i = {n}; {text} m.note(i); }}")
        }
        Await(cell, value, pause) => {
            let looks = |lock: &str| {
                format!("loop {{ let seen = {{ {lock}; get{cell}() == {value} }}; if seen {{ break; }} }}")
            };
            let pause = match pause {
                Pause::Keep => {
                    return format!(
                        "{{ let kept = Box::new(std::cell::Cell::new(-1)); while kept.get() != {value} {{ kept.set(get{cell}()); \
                         std::hint::black_box(&kept); }} }}"
                    );
                }
                Pause::Depth => {
                    return format!(
                        "{{ let depth = Box::new(std::cell::Cell::new(0)); loop {{ depth.set(depth.get() + 1); \
                         std::hint::black_box(&depth); let seen = get{cell}() == {value}; depth.set(depth.get() - 1); \
                         if seen {{ break; }} }} }}"
                    );
                }
                Pause::Look(Look::Try) => {
                    return format!(
                        "loop {{ if let Ok(_held) = LOOK.try_lock() {{ if get{cell}() == {value} {{ break; }} }} }}"
                    );
                }
                Pause::Look(_) => return looks("let _held = LOOK.lock().unwrap()"),
                Pause::Signal => "LOOK_COND.notify_one();",
                Pause::None => "std::hint::spin_loop();",
                Pause::Yield => "std::thread::yield_now();",
                Pause::Sleep => "std::thread::sleep(Duration::from_micros(1));",
                Pause::Count => "n += 1;",
            };
            format!("{{ let mut n = 0; while get{cell}() != {value} {{ {pause} }} std::hint::black_box(n); }}")
        }
        Send(c) => format!("SENDER.get().unwrap().send({c}).unwrap();"),
        Receive => "m.note(receiver.unwrap().recv().unwrap());".into(),
        TryReceive if p.tokens == 0 => {
            "m.note(receiver.unwrap().recv_timeout(Duration::from_micros(20)).unwrap_or(-1));".into()
        }
        TryReceive => "m.note(receiver.unwrap().try_recv().unwrap_or(-1));".into(),
        Park => "std::thread::park();".into(),
        Unpark(thread) => format!("h{thread}.thread().unpark();"),
        WaitOnce(_) | WaitTimed(_) | Post | Acquire | TryAcquire | Use | Free | Grow | Realloc(..) | Raise => {
            unreachable!("only in C")
        }
    }
}

fn ending(out: &mut String, program: &Program, outcomes: &BTreeSet<Outcome>) {
    let threads = program.threads.len();
    let _ = writeln!(out, "type Values = ([i32; {CELLS}], [u32; {threads}]);\nstatic EXPECTED: &[Values] = &[");
    let mut count = 0;
    for outcome in outcomes {
        if let Outcome::End(cells, notes) = outcome {
            let _ = writeln!(out, "    ({cells:?}, {notes:?}),");
            count += 1;
        }
    }
    let notes: Vec<String> = (0..threads).map(|t| format!("*RESULTS[{t}].0.get()")).collect();
    let _ = writeln!(
        out,
        "];\nfn found() -> Option<usize> {{\n    let l = get{STRUCT}();\n\
         \x20   let now = unsafe {{ ([get0(), get1(), get2(), get3(), 0, 0, l[0] as i32, l[l.len() - 1] as i32, environment()], [{}]) }};\n\
         \x20   let found = EXPECTED.iter().position(|e| *e == now);\n    if found.is_none() {{ eprintln!(\"{{now:?}}\"); }}\n    found\n}}",
        notes.join(", ")
    );
    // Functions of their own: a prebuilt library does not tell which call in a function panicked.
    for k in 0..count {
        let _ = writeln!(out, "#[inline(never)]\nfn outcome{k}() {{ panic!(\"outcome {k}\") }}");
    }
    let _ = writeln!(
        out,
        "#[cfg(native)]\nfn main() {{\n    let mut seen = [false; {}];\n    let (_, receiver) = channel();\n    for _ in 0..{ROUNDS} {{\n\
         \x20       put0(0); put1(0); V2.store(0, SeqCst); V3.store(0, SeqCst); put{STRUCT}([0; _]); t0(Some(&receiver));\n\
         \x20       match found() {{ Some(k) => seen[k] = true, None => {{ println!(\"unknown\"); return; }} }}\n    }}\n\
         \x20   for (k, _) in seen.iter().enumerate().filter(|(_, seen)| **seen) {{ println!(\"{{k}}\"); }}\n}}",
        count.max(1)
    );
    out.push_str(
        "#[cfg(not(native))]\nfn main() {\n    let argument = std::env::args().nth(1).unwrap_or_default();\n    let (sender, receiver) = channel();\n    SENDER.set(sender).unwrap();\n    \
         std::sync::LazyLock::force(&BARRIER);\n    t0(Some(&receiver));\n    let fails = |k: usize| argument == \"all\" || argument == k.to_string();\n    match found() {\n",
    );
    for k in 0..count {
        let _ = writeln!(out, "        Some({k}) if fails({k}) => outcome{k}(),\n        Some({k}) => {{}}");
    }
    out.push_str("        _ => panic!(\"unknown\"),\n    }\n}\n");
}
