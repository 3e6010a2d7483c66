//! A search with nothing but sleep sets, as the law that sleeping events have to keep: with every enabled thread tried
//! in every state it completes exactly one run of each Mazurkiewicz trace (Godefroid 1996, chapter 5), and those are
//! the traces that a search without it sees.

use crate::common::Subject;
use gabion_trace::{Choice, Ending, OpKind, Plan, Point, PointSet, Sleeper, Tail, Trace};
use std::collections::BTreeSet;
use std::ops::Range;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Sleep {
    Off,
    On,
}

/// A thread's step by its number, with the values that it chose.
type Name = (u16, u32, Vec<u32>);
/// Of every step: the steps before it that conflict with it. Equal for equivalent runs only.
type Form = Vec<(Name, Vec<Name>)>;

/// Decisions made within a step, the choice of its thread not among them.
fn within(trace: &Trace, index: usize) -> Range<usize> {
    let next = trace.steps.get(index + 1);
    let chosen = next.map(|s| s.decisions as usize - usize::from(s.alternatives > 1));
    trace.steps[index].decisions as usize..chosen.unwrap_or(trace.decisions.len())
}

fn event(trace: &Trace, index: usize) -> Sleeper {
    let step = &trace.steps[index];
    let values = trace.decisions[within(trace, index)].iter().map(|d| d.choice.value).collect();
    Sleeper { thread: step.thread, step: step.number, values, footprint: trace.footprint(step) }
}

fn form(trace: &Trace) -> Form {
    let events: Vec<Sleeper> = (0..trace.steps.len()).map(|i| event(trace, i)).collect();
    let name = |e: &Sleeper| (e.thread.0, e.step, e.values.clone());
    let mut form: Form = Vec::new();
    for (i, e) in events.iter().enumerate() {
        let before = events[..i].iter().filter(|b| b.thread != e.thread && b.footprint.conflicts(&e.footprint));
        let mut before: Vec<Name> = before.map(name).collect();
        before.sort_unstable();
        form.push((name(e), before));
    }
    form.sort_unstable();
    form
}

struct Search<'a> {
    subject: &'a mut Subject,
    template: Plan,
    sleep: Sleep,
    forms: BTreeSet<Form>,
    complete: usize,
    asleep: usize,
}

impl Search<'_> {
    /// Explores everything below a prefix; gives the events so explored from the state of its last choice.
    fn explore(&mut self, choices: Vec<Choice>, sleepers: Vec<Sleeper>) -> Vec<Sleeper> {
        let depth = choices.len();
        let known = sleepers.len();
        let plan = Plan { choices, sleepers: sleepers.clone(), ..self.template.clone() };
        let trace = self.subject.once(plan);
        let ending = trace.outcome.ending;
        match ending {
            Ending::Asleep => self.asleep += 1,
            Ending::Passed | Ending::Deadlock => {
                self.complete += 1;
                self.forms.insert(form(&trace));
            }
            other => panic!("{other:?}: {}", trace.outcome.message),
        }
        // The step with the prefix's last choice, and what sleeps before each step from there on.
        let holds = |i: &usize| depth <= within(&trace, *i).end;
        let from = (0..trace.steps.len()).find(holds).expect("a step made the last choice");
        let mut asleep: Vec<Vec<Sleeper>> = vec![sleepers];
        for i in from..trace.steps.len() {
            let now = &asleep[i - from];
            let (feet, thread) = (trace.footprint(&trace.steps[i]), trace.steps[i].thread);
            asleep.push(now.iter().filter(|s| s.thread == thread || !s.footprint.conflicts(&feet)).cloned().collect());
        }
        let mut explored = Vec::new();
        for i in (from..trace.steps.len()).rev() {
            explored = asleep[i - from].clone();
            // A step that was cut short because its values sleep is no event.
            if ending != Ending::Asleep || i + 1 < trace.steps.len() || !self.cut_within(&trace, i, &explored) {
                explored.push(event(&trace, i));
            }
            let chosen = (trace.steps[i].alternatives > 1).then(|| trace.steps[i].decisions as usize - 1);
            for at in within(&trace, i).rev().chain(chosen).filter(|at| *at >= depth) {
                self.alternatives(&trace, i, at, &mut explored);
            }
        }
        explored.split_off(known.min(explored.len()))
    }

    /// Did the run end within the step, at a choice all of whose values sleep?
    fn cut_within(&self, trace: &Trace, index: usize, asleep: &[Sleeper]) -> bool {
        let made = event(trace, index);
        let same = |s: &&Sleeper| s.thread == made.thread && s.step == made.step;
        asleep
            .iter()
            .filter(same)
            .any(|s| s.values.len() == made.values.len() + 1 && s.values.starts_with(&made.values))
    }

    /// Explores what else the choice could have been, unless it sleeps.
    fn alternatives(&mut self, trace: &Trace, index: usize, at: usize, explored: &mut Vec<Sleeper>) {
        let decision = &trace.decisions[at];
        let step = &trace.steps[index];
        for value in decision.values.iter().filter(|v| *v != decision.choice.value) {
            let (thread, number, values) = if decision.is_thread() {
                let steps = trace.steps[..index].iter().filter(|s| u32::from(s.thread.0) == value).count();
                (value, steps as u32, Vec::new())
            } else {
                let before = &trace.decisions[within(trace, index).start..at];
                let values = before.iter().map(|d| d.choice.value).chain([value]).collect();
                (u32::from(step.thread.0), step.number, values)
            };
            let sleeps = |s: &Sleeper| u32::from(s.thread.0) == thread && s.step == number && s.values == values;
            if self.sleep == Sleep::On && explored.iter().any(sleeps) {
                continue;
            }
            let mut next: Vec<Choice> = trace.choices()[..at].to_vec();
            next.push(Choice { value, op: OpKind::Run, ..decision.choice });
            let sleepers = if self.sleep == Sleep::On { explored.clone() } else { Vec::new() };
            explored.extend(self.explore(next, sleepers));
        }
    }
}

fn check(name: &str, globals: &str, threads: &[&str], points: PointSet, tails: &[Tail]) {
    let mut source = format!(
        "#include <pthread.h>\n#include <semaphore.h>\n#include <stdatomic.h>\nstatic pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = \
         PTHREAD_MUTEX_INITIALIZER;\n{globals}\n"
    );
    source += "static void *work(void *unused) { return unused; }\n";
    for (i, body) in threads.iter().enumerate() {
        source += &format!("static void *t{i}(void *unused) {{ {body} return unused; }}\n");
    }
    source += "int main(void) { pthread_t t[9]; pthread_create(&t[8], 0, work, 0); pthread_join(t[8], 0);\n";
    (0..threads.len()).for_each(|i| source += &format!("pthread_create(&t[{i}], 0, t{i}, 0);\n"));
    (0..threads.len()).for_each(|i| source += &format!("pthread_join(t[{i}], 0);\n"));
    source += "return 0; }\n";
    let mut subject = Subject::new(&source);
    let mut run = |sleep, tail: &Tail| {
        let template = Plan { points, tail: tail.clone(), ..Plan::default() };
        let mut search =
            Search { subject: &mut subject, template, sleep, forms: BTreeSet::new(), complete: 0, asleep: 0 };
        search.explore(Vec::new(), Vec::new());
        (search.forms, search.complete, search.asleep)
    };
    let (all, runs, _) = run(Sleep::Off, &Tail::Default);
    for tail in tails {
        let (forms, complete, asleep) = run(Sleep::On, tail);
        assert!(forms == all, "{name}: other traces than without sleep sets");
        assert_eq!(complete, all.len(), "{name}: one complete run each");
        assert!(complete < runs, "{name}: {complete} and {asleep} asleep against {runs}");
    }
}

#[test]
fn one_complete_run_of_each_trace() {
    let both = &[Tail::Default, Tail::Random { seed: 11 }];
    check("apart", "static atomic_int x, y;", &["x++; x++;", "y++; y++;"], PointSet::SYNC, both);
    check("meeting", "static atomic_int x, y;", &["x++; y++;", "y++; x++;"], PointSet::SYNC, both);
    check("three", "static atomic_int x, y;", &["x = 1;", "y = x;", "y++;"], PointSet::SYNC, both);
    let locks = &["pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m);", "x++; y++;"];
    check("a lock", "static atomic_int x, y;", locks, PointSet::EVERYWHERE, both);
    let abba = &[
        "pthread_mutex_lock(&m); pthread_mutex_lock(&n); pthread_mutex_unlock(&n); pthread_mutex_unlock(&m);",
        "pthread_mutex_lock(&n); pthread_mutex_lock(&m); pthread_mutex_unlock(&m); pthread_mutex_unlock(&n);",
    ];
    check("deadlocks", "", abba, PointSet::SYNC, &[Tail::Default]);
    let inside = &[
        "x++; pthread_mutex_lock(&m); y++; x++; pthread_mutex_unlock(&m); y++;",
        "y++; pthread_mutex_lock(&m); x++; y++; pthread_mutex_unlock(&m); x++;",
    ];
    let atomics = PointSet::VOLUNTARY.with(Point::Atomic);
    check("steps that end by waiting", "static atomic_int x, y;", inside, atomics, both);
    let waits = "pthread_mutex_lock(&m); while (!go) pthread_cond_wait(&c, &m); go--; pthread_mutex_unlock(&m);";
    let signals =
        "pthread_mutex_lock(&m); go = 2; pthread_cond_signal(&c); pthread_cond_signal(&c); pthread_mutex_unlock(&m);";
    let globals = "static pthread_cond_t c = PTHREAD_COND_INITIALIZER; static int go;";
    check("who is woken", globals, &[waits, waits, signals], PointSet::VOLUNTARY.with(Point::Lock), both);
    // Beside them a thread that nobody meets: while it moves, events that chose whom to wake sleep.
    let globals = &format!("{globals} static atomic_int z;");
    let points = PointSet::VOLUNTARY.with(Point::Other).with(Point::Atomic);
    check("who is woken, beside", globals, &[waits, waits, signals, "z++; z++;"], points, both);
    let plain = &["a[0] = 1; a[1] = a[2];", "a[2] = 1; a[1] = 2;"];
    check("plain accesses", "int a[3];", plain, PointSet::EVERYWHERE, both);
}
