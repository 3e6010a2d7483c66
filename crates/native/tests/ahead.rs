//! A run that was begun before it was asked for is the same as one that was not, whatever became of what the plan before it
//! said about it: it goes on, it is given up, or it was never begun. A process of its own: others would take the second core.

#[allow(dead_code, reason = "other tests need more of it")]
#[path = "plans/common.rs"]
mod common;

use common::Subject;
use gabion_trace::{Choice, ChoiceKind, Limits, OpKind, Plan, PointSet, Sleeper, Trace};

const SOURCE: &str = "
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static atomic_int x, turns;
static int go;
static int sum(int n) { volatile int a[8]; int s = 0; for (int i = 0; i < n; i++) s += a[i & 7]; return s; }
static void *work(void *unused)
{
    x += 1 + (sum(8) & 1);
    pthread_mutex_lock(&m);
    while (!go)
        pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    char *p = malloc(16 + turns++);
    p[x & 15] = 1;
    free(p);
    return unused;
}
int main(void)
{
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], 0, work, 0);
    pthread_mutex_lock(&m);
    go = 1;
    pthread_cond_signal(&c);
    pthread_cond_broadcast(&c);
    pthread_mutex_unlock(&m);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], 0);
    return 0;
}
";

/// Numbers from a seed (xorshift).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % end.max(1) as u64) as usize
    }
}

/// A plan that leaves a run at one of its choices.
fn leave(trace: &Trace, at: usize, numbers: &mut Numbers) -> Vec<Choice> {
    let mut choices = trace.choices()[..at].to_vec();
    let decision = &trace.decisions[at];
    let values: Vec<u32> = decision.values.iter().collect();
    let value = values[numbers.below(values.len())];
    let op = if decision.choice.kind == ChoiceKind::Thread { OpKind::Run } else { decision.choice.op };
    choices.push(Choice { value, op, ..decision.choice });
    choices
}

/// An event of the run sleeps, or nothing does.
fn sleepers(trace: &Trace, numbers: &mut Numbers) -> Vec<Sleeper> {
    let step = &trace.steps[numbers.below(trace.steps.len())];
    let sleeper =
        Sleeper { thread: step.thread, step: step.number, values: Vec::new(), footprint: trace.footprint(step) };
    if numbers.below(3) == 0 { vec![sleeper] } else { Vec::new() }
}

#[test]
fn what_was_begun_makes_no_difference() {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let (mut with, mut without) = (Subject::new(SOURCE), Subject::new(SOURCE));
    let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15);
    let template = Plan { points: PointSet::EVERYWHERE, ..Plan::default() };
    let mut last = with.once(template.clone());
    let mut at = 0;
    for _ in 0..400 {
        at = at.min(last.decisions.len() - 1);
        let choices = leave(&last, at, &mut numbers);
        // The next plan mostly begins as this one, as it says.
        let next = numbers.below(choices.len() + 2);
        let told = if numbers.below(8) == 0 { numbers.below(2 * choices.len()) } else { next.min(at) };
        let ahead = (numbers.below(10) > 0).then_some(told as u32);
        let memory = if numbers.below(16) == 0 { 1 << 20 } else { Limits::default().memory };
        let limits = Limits { memory, ..Limits::default() };
        let plan = Plan { choices, sleepers: sleepers(&last, &mut numbers), limits, ..template.clone() };
        let trace = with.once(Plan { ahead, ..plan.clone() });
        assert_eq!(trace, without.once(plan.clone()), "{plan:#?}");
        if trace.decisions.is_empty() {
            continue;
        }
        (last, at) = (trace, next);
    }
    assert_eq!(without.begun(), 0);
    assert!(with.begun() > 0 || cores == 1, "nothing was begun, on {cores} cores");
}
