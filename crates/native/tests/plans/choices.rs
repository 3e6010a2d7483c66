//! Choices that a program asks for, under single plans.

use crate::common::{Subject, sleeper};
use gabion_trace::{Choice, ChoiceKind, Ending, Plan, PointSet, ThreadId, Trace};

const TWO: &str = r#"
#include <gabion.h>
#include <pthread.h>
static void *work(void *unused) { return unused; }
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    int first = gabion_choose(3), second = gabion_choose(2);
    pthread_join(t, 0);
    return first > 2 || second > 1;
}
"#;

fn taken(trace: &Trace) -> Vec<u32> {
    let asked = trace.decisions.iter().filter(|d| d.choice.kind == ChoiceKind::Program);
    asked.map(|d| d.choice.value).collect()
}

/// Two choices of one step. Sleeping events by their values, what is planned of the two, and what is taken.
#[test]
fn values_that_sleep_are_not_taken() {
    let mut subject = Subject::new(TWO);
    let voluntary = Plan { points: PointSet::VOLUNTARY, ..Plan::default() };
    let free = subject.run(voluntary.clone());
    let at = free.decisions.iter().position(|d| d.choice.kind == ChoiceKind::Program).expect("a choice");
    let counts: Vec<usize> = free.decisions[at..at + 2].iter().map(|d| d.values.len()).collect();
    assert_eq!((taken(&free), counts), (vec![0, 0], vec![3, 2]));
    let number = free.decisions[at].choice.step - 1;
    type Row = (&'static [&'static [u32]], &'static [u32], Option<[u32; 2]>);
    let table: &[Row] = &[
        (&[], &[], Some([0, 0])),
        (&[], &[2, 1], Some([2, 1])),
        (&[&[0, 0]], &[], Some([0, 1])),
        (&[&[0]], &[], Some([1, 0])),
        (&[&[0], &[1]], &[], Some([2, 0])),
        (&[&[1, 0]], &[], Some([0, 0])),
        (&[&[0, 0], &[0, 1]], &[], None),
        (&[&[0], &[1], &[2]], &[], None),
        (&[&[2, 0]], &[2], Some([2, 1])),
        (&[&[0, 0]], &[2], Some([2, 0])),
    ];
    for (values, planned, expected) in table {
        let made = free.choices();
        let asked = planned.iter().zip(&made[at..]).map(|(value, choice)| Choice { value: *value, ..*choice });
        let sleepers = values.iter().map(|v| sleeper(&free, ThreadId::MAIN, number, v)).collect();
        let trace = subject.run(Plan {
            choices: made[..at].iter().copied().chain(asked).collect(),
            sleepers,
            ..voluntary.clone()
        });
        match expected {
            Some(expected) => assert_eq!(taken(&trace), expected, "{values:?} {planned:?}"),
            None => assert_eq!(trace.outcome.ending, Ending::Asleep, "{values:?} {planned:?}"),
        }
    }
}
