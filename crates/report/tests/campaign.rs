//! What the page of a campaign says.

mod shown;

use gabion_report::{Line, LineState, Moment, Report, Sources, SpaceStatus, StateSpace, Verdict, campaign_page};
use shown::{report, space};

/// The words of the page, without its markup; cells of a table are told apart.
fn words(report: &Report, stopped: Option<&str>, history: &[Moment]) -> String {
    let sources = Sources::from_text(&[("a.c", "int x;\n\nlock(&m);\n")]);
    let page = campaign_page("a.c", report, stopped, history, &sources);
    let body = page.split("<body>").nth(1).expect("a body").split("<script>").next().expect("a page");
    let text: String = body
        .replace("</td>", " |</td>")
        .split('<')
        .map(|part| part.split_once('>').map_or(" ", |(_, text)| text))
        .collect::<Vec<_>>()
        .join(" ");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn campaign(spaces: Vec<StateSpace>) -> Report {
    Report { state_spaces: spaces, ..report(Verdict::Verified, Vec::new()) }
}

#[test]
fn spaces_say_how_far_they_came_and_by_which_they_are_covered() {
    let covered = StateSpace { covered_by: Some(1), ..space(&["everywhere"], SpaceStatus::Complete, 0, None) };
    let bounded = StateSpace {
        by_bound: true,
        completed_bound: Some(1),
        ..space(&["everywhere"], SpaceStatus::Complete, 4, Some(4.0))
    };
    let begun = StateSpace { completed_bound: Some(1), ..space(&["lock"], SpaceStatus::Suspended, 7, Some(70.2)) };
    let page = words(&campaign(vec![covered, bounded, begun]), None, &[]);
    assert!(page.contains("1 | everywhere | ✓ covered by 2 | – | – |"), "{page}");
    assert!(page.contains("2 | everywhere, few preemptions first | ✓ complete | 4 | 4 |"), "{page}");
    assert!(page.contains("3 | lock | … put aside, all with at most 1 preemption | 7 | about 70 |"), "{page}");
}

#[test]
fn spaces_for_instructions_of_one_line_stand_together() {
    let one = |runs| space(&["access a.c:3"], SpaceStatus::Suspended, runs, None);
    let page = words(&campaign(vec![one(7), space(&["lock"], SpaceStatus::Complete, 2, Some(2.0)), one(9)]), None, &[]);
    assert_eq!(page.matches("access a.c:3").count(), 1, "{page}");
    assert!(
        page.contains(
            "1 | access a.c:3 (for 2 instructions there, each its own) | … put aside | 7 | – | 3 | … put aside | 9 |"
        ),
        "{page}"
    );
}

#[test]
fn what_ended_the_search_and_what_it_covered_are_told() {
    let mut partial = report(Verdict::Partial, Vec::new());
    partial.state_spaces[0].status = SpaceStatus::Suspended;
    partial.state_spaces[0].largest = false;
    let page = words(&partial, Some("the budget of 2 s is spent"), &[]);
    assert!(page.contains("Stopped: the budget of 2 s is spent."), "{page}");
    assert!(page.contains("Not finished: everywhere: 12,345 runs"), "{page}");
}

#[test]
fn the_heading_counts_the_spaces_where_runs_were_made() {
    let one = |runs| space(&["lock"], SpaceStatus::Complete, runs, None);
    let told = |spaces| words(&campaign(spaces), None, &[]);
    assert!(told(vec![one(7), one(0)]).contains("12,345 runs in 1.50 s, preempting at: everywhere."));
    assert!(told(vec![one(7), one(5)]).contains("12,345 runs in 1.50 s, in 2 state spaces."));
}

#[test]
fn lines_have_their_source_and_their_state_in_words() {
    let line =
        |at: &str, states: &[LineState]| Line { at: at.into(), points: vec!["lock".into()], states: states.to_vec() };
    let mut verified = report(Verdict::Verified, Vec::new());
    verified.lines =
        vec![line("a.c:3", &[LineState::Sealed, LineState::Covered]), line("a.c:1", &[LineState::Untested])];
    let page = words(&verified, None, &[]);
    assert!(page.contains("2 lines of the program have points: 1 covered, 1 sealed off, 1 untested race."), "{page}");
    assert!(page.contains("a.c:3 | lock(&amp;m); | lock | – sealed off for some callers ✓ covered |"), "{page}");
    assert!(page.contains("a.c:1 | int x; | lock | ! untested race |"), "{page}");
}

#[test]
fn a_plot_needs_more_than_one_moment() {
    let moment = |seconds, runs, estimate| Moment { seconds, runs, estimate };
    let verified = report(Verdict::Verified, Vec::new());
    let page = words(&verified, None, &[moment(0.02, 4, 4.0)]);
    assert!(page.contains("It took 0.02 s: too short for estimates along the way."), "{page}");
    let page = words(&verified, None, &[moment(1.0, 40, 90.0), moment(2.0, 80, 80.0)]);
    assert!(page.contains("90 runs (logarithmic)") && page.contains("2.00 s | 80 | 80 |"), "{page}");
}
