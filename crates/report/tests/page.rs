//! Sentences of the pages for a browser.

mod shown;

use gabion_report::{Sources, bug_page};
use gabion_trace::{Fewest, Interleaving, Minimisation, NamedAccess, Plan, Switch, SwitchRole, ThreadId, TraceFile};
use shown::racy;

/// A page's words, without its markup.
fn words(file: &TraceFile) -> String {
    let page = bug_page(file, &Sources::from_text(&[]), None);
    let body = page.split("<body>").nth(1).expect("a body");
    let text: String = body.split('<').map(|part| part.split_once('>').map_or("", |(_, text)| text)).collect();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn made_small(file: &mut TraceFile, runs: u64, switches: Vec<Switch>) {
    let steps = file.steps[..runs as usize].to_vec();
    file.minimisation = Some(Minimisation {
        runs,
        allowed: 2000,
        fewest: Fewest::Proven,
        fewest_switches: Fewest::Proven,
        fewest_threads: Fewest::Proven,
        assumed: false,
        stopped: None,
        original: Some(Interleaving { plan: Plan::default(), hash: 2, preemptions: 1, steps }),
        switches,
        passing: None,
    });
}

#[test]
fn one_of_a_thing_is_not_many() {
    let check = |number: u64, expected: [&str; 3]| {
        let mut file = racy();
        made_small(&mut file, number, Vec::new());
        (file.statistics.runs, file.statistics.state_spaces) = (number, number as usize);
        let page = words(&file);
        expected.iter().for_each(|words| assert!(page.contains(words), "{words:?}: {page}"));
    };
    check(1, ["Made small in 1 run.", "1 run in 1 state space until", "(1 step)"]);
    check(2, ["Made small in 2 runs.", "2 runs in 2 state spaces until", "(2 steps)"]);
}

#[test]
fn where_nothing_is_preempted_fewer_preemptions_are_not_spoken_of() {
    let mut file = racy();
    made_small(&mut file, 1, Vec::new());
    assert!(words(&file).contains("No interleaving with fewer preemptions"));
    file.preemptions = 0;
    assert!(!words(&file).contains("No interleaving with fewer preemptions"));
}

#[test]
fn a_thread_that_is_done_is_not_said_to_wait() {
    let mut file = racy();
    let forced = |step, from, to| Switch {
        step,
        from: ThreadId(from),
        to: ThreadId(to),
        role: SwitchRole::Forced,
        neighbours: Vec::new(),
    };
    // T0 joins T1 there, and goes on later; T2 has come to its end.
    made_small(&mut file, 1, vec![forced(4, 0, 1), forced(10, 2, 1)]);
    let page = words(&file);
    assert!(page.contains("T0 to T1 T0 cannot go on") && page.contains("T2 to T1 T2 has no further step"), "{page}");
}

#[test]
fn a_failure_without_steps_has_a_place_and_nothing_to_step_through() {
    let mut file = racy();
    let page = |file: &gabion_trace::TraceFile| bug_page(file, &Sources::from_text(&[]), None);
    let has = |file: &gabion_trace::TraceFile| page(file).contains("data-do=\"next\"");
    assert!(has(&file) && !page(&file).contains("No steps were recorded"));
    file.steps.clear();
    file.minimisation = Some(gabion_trace::Minimisation { allowed: 1, ..Default::default() });
    assert!(!has(&file) && page(&file).contains("No steps were recorded"));
    assert!(!page(&file).contains("An <span class=\"mark\">essential"), "no switch is");
}

/// Conflicting accesses lead to each other, whichever comes first, without script too.
#[test]
fn a_conflict_links_both_ways() {
    let mut file = racy();
    let access = |what: &str, with, next| NamedAccess {
        what: what.into(),
        object: "counter".into(),
        before: None,
        after: None,
        with,
        next,
        stack: Vec::new(),
        spoken_of: false,
    };
    file.steps[5].accesses = vec![access("read", None, Some(8))];
    file.steps[8].accesses = vec![access("write", Some(5), Some(10))];
    let page = bug_page(&file, &Sources::from_text(&[]), None);
    let link = |step: usize| format!("<a href=\"#step-{step}\" data-step=\"{}\">step {step}</a>", step - 1);
    assert!(page.contains(&format!("⇄ conflicts with {}</div>", link(9))), "{page}");
    assert!(page.contains(&format!("⇄ conflicts with {} and {}</div>", link(6), link(11))), "{page}");
    [6, 9, 11].iter().for_each(|step| assert_eq!(page.matches(&format!(" id=\"step-{step}\"")).count(), 1));
}

#[test]
fn an_excerpt_has_no_holes() {
    let text: String = (1..=60).map(|line| format!("line {line}\n")).collect();
    let mut file = racy();
    let template = file.steps[0].clone();
    // The line of the second is among those around the first, not all that are around it.
    let step = |line: u32| gabion_trace::NamedStep { stack: vec![shown::frame(line)], ..template.clone() };
    for order in [[21u32, 19, 11], [11, 19, 21], [19, 11, 21]] {
        file.steps = order.into_iter().map(step).collect();
        file.location = None;
        file.stack.clear();
        let excerpt = Sources::from_text(&[("racy.c", &text)]).excerpt(&file);
        let lines: Vec<u32> = excerpt["racy.c"].keys().copied().collect();
        let around = |line: &u32| order.iter().any(|at| at.abs_diff(*line) <= 4);
        assert!((1..=60).filter(around).all(|line| lines.contains(&line)), "{lines:?}");
        assert!(lines.windows(2).all(|pair| pair[1] == pair[0] + 1), "{lines:?}");
    }
}
