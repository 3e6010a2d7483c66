//! What programs in C and C++ begin with: headers, variables, objects and how they are set up.

use crate::c::name;
use crate::program::{Dialect, FIELDS, Home, Kind, Program};
use std::fmt::Write;

pub const HEAD: &str = r#"#ifndef _GNU_SOURCE
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

pub fn declarations(out: &mut String, program: &Program) {
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
    out.push_str(
        "static pthread_mutex_t look_mutex = PTHREAD_MUTEX_INITIALIZER;\nstatic pthread_rwlock_t look_rw = PTHREAD_RWLOCK_INITIALIZER;\n\
         static pthread_cond_t look_cond = PTHREAD_COND_INITIALIZER;\nstatic pthread_spinlock_t look_spin;\n",
    );
    set_up += "  pthread_spin_init(&look_spin, 0); (void)&look_mutex; (void)&look_rw; (void)&look_cond;\n";
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
pub const GET_ENVIRONMENT: &str = "atoi(getenv(\"FUZZ\"))";
