//! What repeats is shown once.

mod shown;

use gabion_report::{Colour, Sources, bug_page};
use gabion_trace::{Minimisation, Switch, SwitchRole, ThreadId, TraceFile};
use shown::{check_width, racy, step, terminal};

/// Two threads that give way to each other, a hundred times.
fn polite() -> TraceFile {
    let mut file = racy();
    (file.kind, file.message) = ("livelock".into(), "threads get nowhere".into());
    file.threads = vec!["main".into(), "work".into()];
    file.outcome.thread = ThreadId(0);
    file.steps = vec![step(0, 0, "start", 8), step(0, 1, "create T1", 10)];
    for round in 0..100 {
        for thread in [0, 1] {
            let number = 2 + 3 * round;
            file.steps.push(step(thread, number, &format!("write wish_{thread} (was {round})"), 3));
            file.steps.push(step(thread, number + 1, &format!("read wish_{}", 1 - thread), 4));
            file.steps.push(step(thread, number + 2, &format!("yield {thread}"), 5));
        }
    }
    file
}

/// Does each part stand there once?
fn check_once(text: &str) {
    for part in ["write wish_0", "read wish_1", "yield 0", "write wish_1", "read wish_0", "yield 1"] {
        assert_eq!(text.matches(part).count(), 1, "{part}: {text}");
    }
}

#[test]
fn the_repeating_part_is_in_the_terminal_once() {
    let file = polite();
    let text = terminal(80, Colour::Off).bug(&file, None);
    check_width(&text, 80);
    check_once(&text);
    assert_eq!(text.matches("again, 99 times").count(), 2, "{text}");
    let mut all = terminal(80, Colour::Off);
    all.full = true;
    assert_eq!(all.bug(&file, None).matches("yield 1").count(), 100, "--full has every step");
}

#[test]
fn the_repeating_part_is_on_the_page_once() {
    let page = bug_page(&polite(), &Sources::from_text(&[]), None);
    let table = page.split("id=\"interleaving\"").nth(1).expect("a table").split("</table>").next().expect("its end");
    let shown: String =
        table.split("<div class=\"what\">").skip(1).map(|part| part.split('<').next().expect("text")).collect();
    check_once(&shown);
    assert_eq!(table.matches("again, 99 times").count(), 2, "{table}");
    assert!(table.contains("data-index=\"7\"") && !table.contains("data-index=\"8\""), "{table}");
}

/// A mark is explained only where the table has it: what repeats is folded, with its switches.
#[test]
fn a_legend_is_for_marks_that_are_there() {
    let page = |step: usize| {
        let mut file = polite();
        let (from, to) = (file.steps[step - 1].thread, file.steps[step].thread);
        let switch = Switch { step, from, to, role: SwitchRole::Essential, neighbours: Vec::new() };
        file.minimisation = Some(Minimisation { allowed: 1, switches: vec![switch], ..Minimisation::default() });
        bug_page(&file, &Sources::from_text(&[]), None)
    };
    let has = |page: &str| (page.contains("An <span class=\"mark\">essential"), page.contains("◆ essential"));
    assert_eq!(has(&page(5)), (true, true));
    assert_eq!(has(&page(305)), (false, false));
}

/// What comes after the rounds stands after them.
#[test]
fn what_ends_the_rounds_is_shown_behind_them() {
    let mut file = polite();
    file.steps.push(step(0, 400, "join T1", 12));
    let text = terminal(80, Colour::Off).bug(&file, None);
    let (again, join) =
        (text.rfind("again, 99 times").expect("it repeats"), text.find("join T1").expect("it is shown"));
    assert!(again < join, "{text}");
}
