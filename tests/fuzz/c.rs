//! Abstract programs in C and C++. One text serves both purposes: checked by gabion, it fails at a line of its own for each outcome
//! that its argument asks for; compiled with `-DNATIVE` it runs ten thousand times and prints which outcomes came.

use crate::declare::{GET_ENVIRONMENT, HEAD, declarations};
use crate::ending::ending;
use crate::locks::{lock, object, timed_lock, try_lock, unlock};
use crate::machine::Outcome;
use crate::program::{
    ATOMIC, Cell, Dialect, ENVIRONMENT, FIELDS, Guard, Home, Kind, Look, Loop, Pause, Program, STRUCT, Statement,
    Statement::*,
};
use std::collections::BTreeSet;
use std::fmt::Write;

/// The rounds of a native run.
pub const ROUNDS: u32 = 10_000;

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

/// Accesses of a program's integers by inline assembly: of a third of the programs.
struct Assembly {
    bits: u32,
    memory: String,
}

impl Assembly {
    fn of(program: &Program, cell: Cell) -> Option<Assembly> {
        let Kind::Struct(size) = program.variables[STRUCT].kind else { return None };
        let (Kind::Plain(bits) | Kind::Atomic(bits)) = program.variables.get(cell)?.kind else { return None };
        let memory = format!("*(int{bits}_t *)&{}", name(program, cell));
        size.is_multiple_of(3).then_some(Assembly { bits, memory })
    }

    /// The statement. `{s}` in the instruction stands for the letter of its width.
    fn statement(&self, instruction: &str, outputs: &str, inputs: &str) -> String {
        let letter = match self.bits {
            8 => "b",
            16 => "w",
            32 => "l",
            _ => "q",
        };
        let instruction = instruction.replace("{s}", letter);
        format!("__asm__ __volatile__(\"{instruction}\" : {outputs} : {inputs} : \"memory\", \"cc\");")
    }

    /// The same as an expression with the value of `x`, which is `first` before.
    fn value(&self, first: &str, instruction: &str, outputs: &str, inputs: &str) -> String {
        format!("({{ int{}_t x{first}; {} x; }})", self.bits, self.statement(instruction, outputs, inputs))
    }
}

fn in_assembly(program: &Program, statement: &Statement) -> Option<String> {
    let (Set(cell, _) | Add(cell, _) | Swap(cell, _) | Exchange(cell, ..)) = statement else { return None };
    let assembly = Assembly::of(program, *cell)?;
    let Assembly { bits, memory } = &assembly;
    let number = |c: i32| format!("\"r\"((int{bits}_t){c})");
    let both = format!("\"+r\"(x), \"+m\"({memory})");
    Some(match statement {
        Set(_, c) => assembly.statement("mov{s} %1, %0", &format!("\"=m\"({memory})"), &number(*c)),
        Add(_, c) => {
            let lock = if ATOMIC.contains(cell) { "lock; add{s} %1, %0" } else { "add{s} %1, %0" };
            assembly.statement(lock, &format!("\"+m\"({memory})"), &number(*c))
        }
        Swap(_, c) => format!("NOTE({});", assembly.value(&format!(" = {c}"), "xchg{s} %0, %1", &both, "")),
        Exchange(_, from, to) => {
            let outputs = format!("\"=q\"(done), \"+m\"({memory}), \"+a\"(old)");
            let swap = assembly.statement("lock\\n\\tcmpxchg{s} %3, %1; sete %0", &outputs, &number(*to));
            format!("{{ unsigned char done; int{bits}_t old = {from}; {swap} NOTE(done); }}")
        }
        _ => return None,
    })
}

/// The expression for a cell.
pub fn name(program: &Program, cell: Cell) -> String {
    match (program.variables[cell].kind, program.variables[cell].home) {
        (Kind::Field, _) => format!("fields.f{}", cell - FIELDS[0]),
        (_, Home::Global) => format!("v{cell}"),
        _ => format!("(*v{cell})"),
    }
}

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
        if let Some(assembly) = Assembly::of(self.program, cell) {
            return assembly.value("", "mov{s} %1, %0", "\"=r\"(x)", &format!("\"m\"({})", assembly.memory));
        }
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
        if let Some(written) = in_assembly(p, statement) {
            return written;
        }
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
            Await(cell, value, pause) => awaits(&self.read(*cell), *value, *pause),
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

/// A loop that waits until what is read has this value.
fn awaits(read: &str, value: i32, pause: Pause) -> String {
    let looks = |lock: &str, unlock: &str| {
        format!("{{ int seen; do {{ {lock}; seen = {read} == {value}; {unlock}; }} while (!seen); }}")
    };
    let pause = match pause {
        Pause::None => "",
        Pause::Yield => "sched_yield();",
        Pause::Sleep => "usleep(1);",
        Pause::Count => "n++;",
        Pause::Signal => "pthread_cond_signal(&look_cond);",
        Pause::Keep => {
            return format!("{{ static volatile long kept; do kept = (long){read}; while (kept != {value}); }}");
        }
        Pause::Depth => {
            return format!(
                "{{ static volatile int depth; int seen; do {{ depth++; seen = {read} == {value}; depth--; }} while (!seen); }}"
            );
        }
        Pause::Look(Look::Mutex) => {
            return looks("pthread_mutex_lock(&look_mutex)", "pthread_mutex_unlock(&look_mutex)");
        }
        Pause::Look(Look::Read) => return looks("pthread_rwlock_rdlock(&look_rw)", "pthread_rwlock_unlock(&look_rw)"),
        Pause::Look(Look::Spin) => return looks("pthread_spin_lock(&look_spin)", "pthread_spin_unlock(&look_spin)"),
        Pause::Look(Look::Try) => {
            return format!(
                "{{ int seen = 0; do if (pthread_mutex_trylock(&look_mutex) == 0) {{ seen = {read} == {value}; \
                 pthread_mutex_unlock(&look_mutex); }} while (!seen); }}"
            );
        }
    };
    format!("{{ volatile long n = 0; while ({read} != {value}) {{ {pause} }} (void)n; }}")
}
