//! Abstract programs in C and C++. One text serves both purposes: checked by gabion, it fails at a line of its own for each outcome
//! that its argument asks for; compiled with `-DNATIVE` it runs ten thousand times and prints which outcomes came.

use crate::machine::Outcome;
use crate::program::{
    ATOMIC, CELLS, Cell, Dialect, ENVIRONMENT, FIELDS, Guard, Home, Kind, Loop, Pause, Program, STRUCT, Statement,
    Statement::*,
};
use std::collections::BTreeSet;
use std::fmt::Write;

/// The rounds of a native run.
pub const ROUNDS: u32 = 10_000;

const HEAD: &str = r#"#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <assert.h>
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#ifdef __cplusplus
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <new>
#include <shared_mutex>
#include <thread>
using namespace std;
#define ATOMIC(T) std::atomic<T>
#define THREAD_LOCAL thread_local
#else
#include <stdatomic.h>
#include <threads.h>
#define ATOMIC(T) _Atomic(T)
#define THREAD_LOCAL _Thread_local
#endif
#define HIDDEN __attribute__((noinline))
struct me { int r; unsigned h; }; // volatile: what a jump leaves behind
#define NOTE(x) (m->r = (int)(x), m->h = m->h * 31u + (unsigned)m->r + 1u)
#ifdef NATIVE
#define ORDER(o) memory_order_seq_cst
static int gate;
static void enter(int n) { __atomic_fetch_add(&gate, 1, 5); for (int i = 0; __atomic_load_n(&gate, 5) % n && i < 100000; i++) ; }
static void point(void) { __atomic_thread_fence(5); for (volatile int i = (int)(__builtin_ia32_rdtsc() >> 4 & 63) - 32; i > 0; i--) ; }
#define ENTER(n) enter(n)
#define POINT point();
#else
#define ORDER(o) memory_order_##o
#define ENTER(n)
#define POINT __atomic_signal_fence(5); // else optimisers drop the first of two writes
#endif
static unsigned results[4];
static void in(const void *p, int n);
/* When a wait that has a limit ends. */
static struct timespec soon(void) {
  struct timespec at;
  clock_gettime(CLOCK_REALTIME, &at);
  at.tv_nsec += 20000;
  if (at.tv_nsec >= 1000000000) { at.tv_nsec -= 1000000000; at.tv_sec++; }
  return at;
}
static int word; /* of a lock: 0 free, 1 taken, 2 taken and waited for */
static int futex_trylock(void) { int free = 0; return !__atomic_compare_exchange_n(&word, &free, 1, 0, 5, 5); }
static void futex_lock(void) {
  if (futex_trylock() == 0) return;
  while (__atomic_exchange_n(&word, 2, 5)) syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 2, 0, 0, 0);
}
static void futex_unlock(void) {
  if (__atomic_exchange_n(&word, 0, 5) == 2) syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
}
"#;

/// The text of a program with the outcomes that its argument chooses from: `all`, `none` or one's number. Whatever else comes
/// is `unknown`, and fails always.
pub fn text(program: &Program, outcomes: &BTreeSet<Outcome>) -> String {
    let mut out = format!("// {:?}\n{HEAD}", program.dialect);
    let mut writer = Writer { program, functions: String::new(), names: 0 };
    declarations(&mut out, program);
    let mut threads = String::new();
    for thread in (0..program.threads.len()).rev() {
        threads += &writer.thread(thread);
    }
    out += &writer.functions;
    out += &threads;
    ending(&mut out, program, outcomes);
    out
}

/// The expression for a cell.
fn name(program: &Program, cell: Cell) -> String {
    match (program.variables[cell].kind, program.variables[cell].home) {
        (Kind::Field, _) => format!("fields.f{}", cell - FIELDS[0]),
        (_, Home::Global) => format!("v{cell}"),
        _ => format!("(*v{cell})"),
    }
}

fn declarations(out: &mut String, program: &Program) {
    let mut set_up = String::new();
    for (cell, variable) in program.variables.iter().enumerate() {
        let volatile = if variable.volatile { "volatile " } else { "" };
        let kind = match variable.kind {
            Kind::Plain(bits) => format!("{volatile}int{bits}_t"),
            Kind::Atomic(bits) => format!("ATOMIC(int{bits}_t)"),
            Kind::Struct(n) => {
                let _ = writeln!(out, "struct s {{ char c[{n}]; }};");
                let fill = |c: i32| format!("{{{{{}}}}}", vec![c.to_string(); n].join(","));
                let _ = writeln!(out, "static const struct s s1 = {}, s2 = {}, s3 = {};", fill(1), fill(2), fill(3));
                "struct s".to_owned()
            }
            Kind::Field => continue,
        };
        let _ = match variable.home {
            Home::Global => writeln!(out, "static {kind} v{cell};"),
            Home::Heap => {
                let _ = writeln!(set_up, "  v{cell} = (__typeof__(v{cell}))malloc(sizeof *v{cell});");
                writeln!(out, "static {kind} *v{cell};")
            }
            Home::Stack => {
                let _ = writeln!(set_up, "  v{cell} = (__typeof__(v{cell}))stack[{cell}];");
                writeln!(out, "static {kind} *v{cell};")
            }
        };
        let v = name(program, cell);
        let _ = match variable.kind {
            Kind::Struct(_) => writeln!(set_up, "  memset(&{v}, 0, sizeof {v});"),
            Kind::Atomic(_) => writeln!(set_up, "  atomic_store(&{v}, 0);"),
            _ => writeln!(set_up, "  {v} = 0;"),
        };
    }
    let volatile = if program.variables[FIELDS[0]].volatile { "volatile " } else { "" };
    let _ = writeln!(out, "static {volatile}struct {{ unsigned char f0 : 3, f1 : 4; }} fields;");
    set_up += "  fields.f0 = 0; fields.f1 = 0;\n";
    out.push_str("static char *volatile block;\nstatic volatile char sunk;\nstatic HIDDEN void in(const void *p, int n) { sunk = ((const char *)p)[n / 2]; }\n");
    set_up += "  block = (char *)malloc(8); block[0] = 7;\n";
    let tokens = program.tokens;
    match program.dialect {
        Dialect::Posix => {
            out.push_str(
                "static pthread_mutex_t m0 = PTHREAD_MUTEX_INITIALIZER, m1, again;\nstatic pthread_cond_t cond = PTHREAD_COND_INITIALIZER;\n\
                 static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;\nstatic pthread_spinlock_t spin;\nstatic sem_t sem;\n\
                 static pthread_once_t once;\nstatic pthread_key_t key;\n",
            );
            let kind = ["NORMAL", "ERRORCHECK", "DEFAULT", "ADAPTIVE_NP"]
                [(program.parents.len() + program.tokens as usize) & 3];
            let _ = write!(
                set_up,
                "  pthread_mutexattr_t a; pthread_mutexattr_init(&a); pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE); pthread_mutex_init(&again, &a);\n\
                 \x20 pthread_mutexattr_settype(&a, PTHREAD_MUTEX_{kind}); pthread_mutex_init(&m1, &a);\n\
                 \x20 pthread_spin_init(&spin, 0); sem_init(&sem, 0, {tokens}); pthread_once_t fresh = PTHREAD_ONCE_INIT; once = fresh;\n"
            );
        }
        Dialect::C11 => {
            out.push_str(
                "static mtx_t m0, m1, again;\nstatic cnd_t cond;\nstatic once_flag once;\nstatic tss_t key;\n",
            );
            set_up += "  mtx_init(&m0, mtx_plain); mtx_init(&m1, mtx_timed); mtx_init(&again, mtx_plain | mtx_recursive); cnd_init(&cond);\n  once_flag fresh = ONCE_FLAG_INIT; once = fresh;\n";
        }
        Dialect::Cxx | Dialect::Rust => {
            out.push_str("static std::mutex m0;\nstatic std::timed_mutex m1;\nstatic std::recursive_mutex again;\nstatic std::shared_mutex rw;\nstatic std::condition_variable cond;\nstatic std::once_flag once;\n");
            set_up += "  new (&once) std::once_flag;\n";
        }
    }
    let _ = writeln!(out, "static pthread_barrier_t barrier;\nstatic THREAD_LOCAL volatile struct me *mine;");
    let _ = writeln!(set_up, "  pthread_barrier_init(&barrier, 0, {});", program.threads.len());
    let v1 = name(program, 1);
    let _ = writeln!(out, "static void handler(int s) {{ (void)s; {v1} = {v1} + 1; }}");
    set_up += "  signal(SIGUSR1, handler); setenv(\"FUZZ\", \"0\", 1);\n";
    match program.dialect {
        Dialect::Cxx => {
            let _ = writeln!(
                out,
                "struct ender {{ bool on = false; ~ender() {{ if (on) {v1} = {v1} + 1; }} }};\nstatic thread_local ender at_end;"
            );
        }
        dialect => {
            let _ = writeln!(out, "static void at_end(void *q) {{ (void)q; {v1} = {v1} + 1; }}");
            let create = if dialect == Dialect::C11 { "tss_create" } else { "pthread_key_create" };
            let _ = writeln!(set_up, "  static int made; if (!made++) {create}(&key, at_end);");
        }
    }
    let _ = writeln!(out, "static void set_up(char (*stack)[64]) {{ (void)stack;\n{set_up}}}");
}

/// The value of the variable of the environment.
const GET_ENVIRONMENT: &str = "atoi(getenv(\"FUZZ\"))";

struct Writer<'a> {
    program: &'a Program,
    /// Functions before those of the threads.
    functions: String,
    names: usize,
}

impl Writer<'_> {
    fn fresh(&mut self) -> usize {
        self.names += 1;
        self.names
    }

    fn thread(&mut self, t: usize) -> String {
        let dialect = self.program.dialect;
        let kind = match dialect {
            Dialect::Posix => "void *",
            Dialect::C11 => "int ",
            _ => "void ",
        };
        let mut out = format!(
            "static {kind}t{t}(void *q) {{\n  (void)q;\n  volatile struct me self = {{0, 0}}, *m = &self; mine = m;\n"
        );
        let children: Vec<usize> = self.program.children(t).collect();
        for c in &children {
            let _ = match dialect {
                Dialect::Posix => writeln!(out, "  pthread_t h{c}; pthread_create(&h{c}, 0, t{c}, 0);"),
                Dialect::C11 => writeln!(out, "  thrd_t h{c}; thrd_create(&h{c}, t{c}, 0);"),
                _ if self.program.tokens == 0 => writeln!(out, "  std::jthread h{c}(t{c}, nullptr);"),
                _ => writeln!(out, "  std::thread h{c}(t{c}, nullptr);"),
            };
        }
        let _ = writeln!(out, "  ENTER({});", self.program.threads.len());
        out += &self.body(&self.program.threads[t], "  ");
        for c in &children {
            let _ = match dialect {
                Dialect::Posix => writeln!(out, "  pthread_join(h{c}, 0);"),
                Dialect::C11 => writeln!(out, "  thrd_join(h{c}, 0);"),
                _ => writeln!(out, "  h{c}.join();"),
            };
        }
        let _ = writeln!(out, "  results[{t}] = m->h;");
        out.push_str(match dialect {
            Dialect::Posix if t > 0 && self.program.tokens == 0 => "  pthread_exit(q);\n}\n",
            Dialect::Posix => "  return q;\n}\n",
            Dialect::C11 if t > 0 && self.program.tokens == 0 => "  thrd_exit(0);\n}\n",
            Dialect::C11 => "  return 0;\n}\n",
            _ => "}\n",
        });
        out
    }

    fn body(&mut self, statements: &[Statement], indent: &str) -> String {
        statements.iter().map(|s| format!("{indent}POINT {}\n", self.one(s))).collect()
    }

    /// In braces.
    fn block(&mut self, statements: &[Statement]) -> String {
        let body: Vec<String> = statements.iter().map(|s| format!("POINT {}", self.one(s))).collect();
        format!("{{ {} }}", body.join(" "))
    }

    fn read(&self, cell: Cell) -> String {
        let v = name(self.program, cell);
        match self.program.variables[cell].kind {
            Kind::Atomic(16 | 64) => format!("atomic_load_explicit(&{v}, ORDER(acquire))"),
            Kind::Atomic(8) => format!("atomic_load_explicit(&{v}, ORDER(relaxed))"),
            _ => v,
        }
    }

    fn one(&mut self, statement: &Statement) -> String {
        let p = self.program;
        let n = |cell: Cell| name(p, cell);
        let cxx = p.dialect == Dialect::Cxx;
        match statement {
            Set(STRUCT, c) => self.write_struct(*c),
            Set(cell, c) if ATOMIC.contains(cell) && matches!(p.variables[*cell].kind, Kind::Atomic(8 | 64)) => {
                format!("atomic_store_explicit(&{}, {c}, ORDER(release));", n(*cell))
            }
            Set(ENVIRONMENT, c) => format!("setenv(\"FUZZ\", \"{c}\", 1);"),
            Set(cell, c) => format!("{} = {c};", n(*cell)),
            Copy(to, from, plus) => format!("{} = {} + {plus};", n(*to), n(*from)),
            Add(cell, c) => match p.variables[*cell].kind {
                Kind::Atomic(16) => format!("{} += {c};", n(*cell)),
                Kind::Atomic(_) => format!("atomic_fetch_add_explicit(&{}, {c}, ORDER(relaxed));", n(*cell)),
                Kind::Field => format!("{{ unsigned x = {0}; POINT {0} = x + {c}; }}", n(*cell)),
                _ if cxx => format!("{0} = {0} + {c};", n(*cell)),
                _ => format!("{} += {c};", n(*cell)),
            },
            See(STRUCT) => self.read_struct(),
            See(ENVIRONMENT) => format!("NOTE({GET_ENVIRONMENT});"),
            See(cell) => format!("NOTE({});", self.read(*cell)),
            Swap(cell, c) => format!("NOTE(atomic_exchange(&{}, {c}));", n(*cell)),
            Exchange(cell, from, to) => {
                let Kind::Atomic(bits) = p.variables[*cell].kind else { unreachable!("an atomic variable") };
                format!(
                    "{{ int{bits}_t old = {from}; NOTE(atomic_compare_exchange_strong(&{}, &old, {to})); }}",
                    n(*cell)
                )
            }
            If(value, body) => format!("if (m->r == {value}) {}", self.block(body)),
            Hold(guard, body) => {
                let (body, scoped) = (self.block(body), self.fresh().is_multiple_of(2));
                match guard {
                    Guard::Read if cxx && scoped => format!("{{ std::shared_lock g(rw); {body} }}"),
                    Guard::Write if cxx && scoped => format!("{{ std::scoped_lock g(rw); {body} }}"),
                    _ if cxx && scoped => format!("{{ std::lock_guard g({}); {body} }}", object(*guard)),
                    _ => format!("{} {body} {}", lock(p.dialect, *guard), unlock(p.dialect, *guard)),
                }
            }
            Try(guard, body) => {
                let body = self.block(body);
                // One with a time limit may fail as well as one that does not wait.
                let taken = timed_lock(p.dialect, *guard).filter(|_| self.fresh().is_multiple_of(2));
                let taken = taken.unwrap_or_else(|| try_lock(p.dialect, *guard));
                format!(
                    "{{ struct timespec at = soon(); (void)at; int taken = {taken}; NOTE(taken); if (taken) {{ {body} {} }} }}",
                    unlock(p.dialect, *guard)
                )
            }
            Wait(..) | WaitOnce(_) | WaitTimed(_) | Notify { .. } => self.condition(statement),
            Post => "sem_post(&sem);".into(),
            Acquire => "sem_wait(&sem);".into(),
            TryAcquire if self.fresh().is_multiple_of(2) => {
                "{ struct timespec at = soon(); NOTE(sem_timedwait(&sem, &at) == 0); }".into()
            }
            TryAcquire => "NOTE(sem_trywait(&sem) == 0);".into(),
            Barrier => "pthread_barrier_wait(&barrier);".into(),
            Once(body) => self.once(body),
            AtEnd => match p.dialect {
                Dialect::Posix => "pthread_setspecific(key, (void *)m);".into(),
                Dialect::C11 => "tss_set(key, (void *)m);".into(),
                _ => "at_end.on = true;".into(),
            },
            Twice(body) => {
                let body = self.block(body);
                if cxx {
                    format!("for (int n = 0; n < 2; n++) try {{ {body} throw n; }} catch (int) {{ }}")
                } else {
                    format!(
                        "{{ jmp_buf b; volatile int n = 0; if (setjmp(b)) n = 1; {body} if (n == 0) longjmp(b, 1); }}"
                    )
                }
            }
            Escape(value, first, second) => {
                let (first, second) = (self.block(first), self.block(second));
                if cxx {
                    format!("try {{ {first} if (m->r == {value}) throw 1; {second} }} catch (int) {{ }}")
                } else {
                    format!(
                        "{{ jmp_buf b; if (!setjmp(b)) {{ {first} if (m->r == {value}) longjmp(b, 1); {second} }} }}"
                    )
                }
            }
            Sum(..) | Until(..) => self.counted(statement),
            Await(cell, value, pause) => {
                let pause = match pause {
                    Pause::None => "",
                    Pause::Yield => "sched_yield();",
                    Pause::Sleep => "usleep(1);",
                };
                format!("while ({} != {value}) {{ {pause} }}", self.read(*cell))
            }
            Use => "NOTE(block[0]);".into(),
            Free => "free(block);".into(),
            Grow => "block = (char *)realloc(block, 99);".into(),
            Realloc(before, after) => format!(
                "{{ char *p = (char *)malloc({before}); memset(p, 1, {before}); p = (char *)realloc(p, {after}); int s = 0; \
                 for (int i = 0; i < {before} && i < {after}; i++) s += p[i]; free(p); NOTE(s); }}"
            ),
            Raise => "raise(SIGUSR1);".into(),
            Send(_) | Receive | TryReceive | Park | Unpark(_) => unreachable!("only in Rust"),
        }
    }

    fn condition(&mut self, statement: &Statement) -> String {
        let (p, v) = (self.program, name(self.program, 0));
        let (lock, unlock) = (lock(p.dialect, Guard::Mutex(0)), unlock(p.dialect, Guard::Mutex(0)));
        let cxx = p.dialect == Dialect::Cxx;
        let (wait, timed, [one, all]) = match p.dialect {
            Dialect::Posix => (
                "pthread_cond_wait(&cond, &m0);",
                "NOTE(pthread_cond_timedwait(&cond, &m0, &at) == ETIMEDOUT);",
                ["pthread_cond_signal(&cond);", "pthread_cond_broadcast(&cond);"],
            ),
            Dialect::C11 => (
                "cnd_wait(&cond, &m0);",
                "NOTE(cnd_timedwait(&cond, &m0, &at) == thrd_timedout);",
                ["cnd_signal(&cond);", "cnd_broadcast(&cond);"],
            ),
            _ => ("cond.wait(g);", "", ["cond.notify_one();", "cond.notify_all();"]),
        };
        match statement {
            Wait(value, body) if cxx => {
                let body = self.block(body);
                format!(
                    "{{ std::unique_lock<std::mutex> g(m0); cond.wait(g, [&] {{ return {v} == {value}; }}); {body} }}"
                )
            }
            Wait(value, body) => {
                let body = self.block(body);
                format!("{lock} while ({v} != {value}) {wait} {body} {unlock}")
            }
            WaitOnce(value) if cxx => format!("{{ std::unique_lock<std::mutex> g(m0); if ({v} != {value}) {wait} }}"),
            WaitOnce(value) => format!("{lock} if ({v} != {value}) {wait} {unlock}"),
            WaitTimed(value) => {
                format!("{{ struct timespec at = soon(); {lock} if ({v} != {value}) {timed} {unlock} }}")
            }
            Notify { value, all: to_all, lock: locked, inside } => {
                let signal = if *to_all { all } else { one };
                let (before, after) = if *inside { (signal, "") } else { ("", signal) };
                match locked {
                    true => format!("{lock} {v} = {value}; {before} {unlock} {after}"),
                    false => format!("{v} = {value}; {signal}"),
                }
            }
            _ => unreachable!("about the condition variable"),
        }
    }

    fn once(&mut self, body: &[Statement]) -> String {
        let body = self.block(body);
        if self.program.dialect == Dialect::Cxx {
            return format!("std::call_once(once, [&] {body});");
        }
        let k = self.fresh();
        let _ =
            writeln!(self.functions, "static void once{k}(void) {{ volatile struct me *m = mine; {body} (void)m; }}");
        match self.program.dialect {
            Dialect::C11 => format!("call_once(&once, once{k});"),
            _ => format!("pthread_once(&once, once{k});"),
        }
    }

    fn write_struct(&mut self, c: i32) -> String {
        let v = name(self.program, STRUCT);
        match c {
            1 => format!("{v} = s1;"),
            2 => format!("memcpy(&{v}, &s2, sizeof {v});"),
            _ => format!("memset(&{v}, {c}, sizeof {v});"),
        }
    }

    fn read_struct(&mut self) -> String {
        let v = name(self.program, STRUCT);
        let Kind::Struct(size) = self.program.variables[STRUCT].kind else { unreachable!("a structure") };
        let sink = if self.program.tokens == 0 { format!("in(&l, {size});") } else { String::new() };
        let copy = if self.names.is_multiple_of(2) {
            format!("struct s l = {v};")
        } else {
            format!("struct s l; memcpy(&l, &{v}, sizeof l);")
        };
        self.names += 1;
        format!("{{ {copy} {sink} NOTE(l.c[0] + 4 * l.c[{}]); }}", size - 1)
    }

    fn counted(&mut self, statement: &Statement) -> String {
        let (Sum(cell, n, how) | Until(cell, n, _, how)) = statement else { unreachable!("a loop that counts") };
        let mut read = self.read(*cell);
        if *how == Loop::Called {
            let k = self.fresh();
            let _ = writeln!(self.functions, "static HIDDEN int look{k}(void) {{ return (int){read}; }}");
            read = format!("look{k}()");
        }
        if let Until(_, _, value, _) = statement {
            let text = match how {
                Loop::For | Loop::Called => format!("for (i = 0; i < {n}; i++) if ({read} == {value}) break;"),
                Loop::While => format!("while (i < {n} && {read} != {value}) i++;"),
                Loop::Down => format!("for (i = {n}; i > 0; i--) if ({read} == {value}) break; i = {n} - i;"),
                Loop::Do => format!("do {{ if ({read} == {value}) break; }} while (++i < {n});"),
            };
            return format!("{{ int i = 0; {text} NOTE(i); }}");
        }
        let text = match how {
            Loop::For | Loop::Called => format!("for (i = 0; i < {n}; i++) s += (int){read};"),
            Loop::While => format!("while (i < {n}) {{ s += (int){read}; i++; }}"),
            Loop::Down => format!("for (i = {n}; i-- > 0;) s += (int){read};"),
            Loop::Do => format!("do s += (int){read}; while (++i < {n});"),
        };
        format!("{{ int i = 0, s = 0; {text} (void)i; NOTE(s); }}")
    }
}

fn object(guard: Guard) -> &'static str {
    match guard {
        Guard::Mutex(0) => "m0",
        Guard::Mutex(_) => "m1",
        Guard::Recursive => "again",
        Guard::Spin => "spin",
        Guard::Futex => "futex",
        Guard::Read | Guard::Write => "rw",
    }
}

/// The verb between `pthread_` and the object.
fn call(dialect: Dialect, guard: Guard, [c11, cxx, verb]: [&str; 3]) -> String {
    let object = object(guard);
    match (dialect, guard) {
        (Dialect::C11, _) => format!("mtx_{c11}(&{object})"),
        (Dialect::Cxx, Guard::Read) => format!("{object}.{cxx}_shared()"),
        (Dialect::Cxx, _) => format!("{object}.{cxx}()"),
        (_, Guard::Spin) => format!("pthread_spin_{verb}(&{object})"),
        (_, Guard::Futex) => format!("{object}_{verb}()"),
        (_, Guard::Read) if verb != "unlock" => format!("pthread_rwlock_{}(&{object})", verb.replace("lock", "rdlock")),
        (_, Guard::Write) if verb != "unlock" => {
            format!("pthread_rwlock_{}(&{object})", verb.replace("lock", "wrlock"))
        }
        (_, Guard::Read | Guard::Write) => format!("pthread_rwlock_unlock(&{object})"),
        _ => format!("pthread_mutex_{verb}(&{object})"),
    }
}

fn lock(dialect: Dialect, guard: Guard) -> String {
    call(dialect, guard, ["lock", "lock", "lock"]) + ";"
}

fn unlock(dialect: Dialect, guard: Guard) -> String {
    call(dialect, guard, ["unlock", "unlock", "unlock"]) + ";"
}

fn try_lock(dialect: Dialect, guard: Guard) -> String {
    let text = call(dialect, guard, ["trylock", "try_lock", "trylock"]);
    match dialect {
        Dialect::Cxx => text,
        Dialect::C11 => format!("{text} == thrd_success"),
        _ => format!("{text} == 0"),
    }
}

fn timed_lock(dialect: Dialect, guard: Guard) -> Option<String> {
    let object = object(guard);
    Some(match (dialect, guard) {
        (Dialect::Posix, Guard::Mutex(_) | Guard::Recursive) => format!("pthread_mutex_timedlock(&{object}, &at) == 0"),
        (Dialect::Posix, Guard::Read) => format!("pthread_rwlock_timedrdlock(&{object}, &at) == 0"),
        (Dialect::Posix, Guard::Write) => format!("pthread_rwlock_timedwrlock(&{object}, &at) == 0"),
        (Dialect::C11, Guard::Mutex(1)) => format!("mtx_timedlock(&{object}, &at) == thrd_success"),
        (Dialect::Cxx, Guard::Mutex(1)) => format!("{object}.try_lock_for(std::chrono::microseconds(20))"),
        _ => return None,
    })
}

/// What the end of a program is held against.
fn ending(out: &mut String, program: &Program, outcomes: &BTreeSet<Outcome>) {
    let threads = program.threads.len();
    let ends: Vec<_> = outcomes
        .iter()
        .filter_map(|o| if let Outcome::End(cells, notes) = o { Some((cells, notes)) } else { None })
        .collect();
    let _ = writeln!(out, "static const long expected[][{}] = {{", CELLS + threads);
    for (cells, notes) in &ends {
        let values: Vec<String> =
            cells.iter().map(i32::to_string).chain(notes.iter().map(|n| format!("{n}u"))).collect();
        let _ = writeln!(out, "  {{{}}},", values.join(", "));
    }
    if ends.is_empty() {
        out.push_str("  {-1},\n");
    }
    out.push_str("};\n");
    let Kind::Struct(size) = program.variables[STRUCT].kind else { unreachable!("a structure") };
    let mut values: Vec<String> = (0..STRUCT).map(|cell| name(program, cell)).collect();
    let v = name(program, STRUCT);
    values.extend([format!("{v}.c[0]"), format!("{v}.c[{}]", size - 1), GET_ENVIRONMENT.to_owned()]);
    values.extend((0..threads).map(|t| format!("results[{t}]")));
    // In no frame: what an optimiser does with such an array there is not announced.
    let _ = writeln!(out, "static long now[{}];\nstatic int found(void) {{", values.len());
    for (index, value) in values.iter().enumerate() {
        let _ = writeln!(out, "  now[{index}] = (long){value};");
    }
    let _ = writeln!(
        out,
        "  for (unsigned i = 0; i < sizeof expected / sizeof *expected; i++) if (!memcmp(now, expected[i], sizeof now)) return (int)i;\n\
         \x20 for (unsigned i = 0; i < sizeof now / sizeof *now; i++) fprintf(stderr, \" %ld\", now[i]);\n  fprintf(stderr, \"\\n\");\n  return -1;\n}}"
    );
    // Functions of their own, since optimisers make one call of several.
    for k in 0..ends.len() {
        let _ = writeln!(out, "static HIDDEN void outcome{k}(void) {{ assert(!\"outcome {k}\"); }}");
    }
    let _ = writeln!(
        out,
        "#ifdef NATIVE\nint main(void) {{\n  static char seen[{}]; static char stack[8][64] __attribute__((aligned(64)));\n  for (int i = 0; i < {ROUNDS}; i++) {{\n    set_up(stack); t0(0);\n\
         \x20   int k = found();\n    if (k < 0) {{ printf(\"unknown\\n\"); return 0; }}\n    seen[k] = 1;\n  }}\n\
         \x20 for (unsigned i = 0; i < sizeof seen; i++) if (seen[i]) printf(\"%u\\n\", i);\n}}\n#else",
        ends.len().max(1)
    );
    out.push_str("int main(int argc, char **argv) {\n  char stack[8][64] __attribute__((aligned(64)));\n  set_up(stack);\n  t0(0);\n  int k = found();\n  int all = argc > 1 && !strcmp(argv[1], \"all\");\n  int chosen = argc > 1 && !all && strcmp(argv[1], \"none\") ? atoi(argv[1]) : -1;\n  (void)chosen; (void)all;\n  switch (k) {\n  case -1: assert(!\"unknown\"); break;\n");
    for k in 0..ends.len() {
        let _ = writeln!(out, "  case {k}: if (all || chosen == {k}) outcome{k}(); break;");
    }
    out.push_str("  }\n  return 0;\n}\n#endif\n");
}
