//! What is shown, blessed: `INSTA_UPDATE=always cargo test -p gabion-report` rewrites the snapshots, review them like code.

mod shown;

use gabion_report::{
    Bug, Colour, Line, Minimised, Race, RaceOrder, RaceStatus, Report, Sources, SpaceStatus, StateSpace, Verdict,
    annotations, bug_page, campaign_page, sarif,
};
use gabion_trace::{
    Caveat, CaveatKind, ChoiceKind, Chosen, Fewest, Frame, Interleaving, Minimisation, NamedRace, NamedWitness,
    Passing, Plan, Switch, SwitchRole, ThreadId,
};
use shown::{check_width, frame, racy, report, space, step, terminal};

#[test]
fn a_partial_report_that_one_can_act_on() {
    let trusted = Caveat::new(CaveatKind::TrustedLibrary, "C library and C++ runtime");
    let mut partial = report(Verdict::Partial, vec![trusted]);
    let all = ["sync", "visible", "access ring.c:29", "access ring.c:29", "access ring.c:44"];
    partial.state_spaces = vec![
        space(&["voluntary"], SpaceStatus::Complete, 60, Some(60.0)),
        space(&["lock"], SpaceStatus::Complete, 4_708, Some(4_708.0)),
        space(&all, SpaceStatus::Suspended, 431, Some(39_230.0)),
        StateSpace {
            by_bound: true,
            completed_bound: Some(2),
            ..space(&all, SpaceStatus::Suspended, 8_776, Some(1e30))
        },
        space(&["unlock"], SpaceStatus::Suspended, 2_568, Some(1e19)),
        space(&["access ring.c:44"], SpaceStatus::Pending, 0, None),
    ];
    partial.state_spaces[0].largest = false;
    partial.races = vec![Race {
        first: "ring.c:29".into(),
        second: "ring.c:44".into(),
        order: RaceOrder::Single,
        status: RaceStatus::Untested,
        object: "hits".into(),
        accesses: ["write by T1 (worker) at ring.c:29".into(), "read by T0 (main) at ring.c:44".into()],
        stacks: [vec!["ring.c:29 in worker".into()], vec!["ring.c:44 in main".into()]],
        first_run: true,
        would_order: None,
        takes_part: false,
    }];
    let text = terminal(80, Colour::Off).verdict(&partial, Some("the budget of 10m is spent"));
    check_width(&text, 80);
    insta::assert_snapshot!(text);
}

#[test]
fn a_bug_in_80_columns() {
    let text = terminal(80, Colour::Off).bug(&racy(), Some("racy.trace"));
    check_width(&text, 80);
    insta::assert_snapshot!(text);
}

#[test]
fn a_bug_in_colour() {
    let mut file = racy();
    file.steps.truncate(2);
    insta::assert_snapshot!(terminal(80, Colour::On).bug(&file, None).replace('\x1b', "ESC"));
}

#[test]
fn where_a_library_is_by_itself_is_left_out() {
    let mut file = racy();
    let (function, file_name) = (Some("std::thread::park".into()), Some("/rustc/1/library/std/src/thread.rs".into()));
    file.steps[0].stack = vec![Frame { function, file: file_name, line: Some(7), module: "test+0x1".into() }];
    let mut terminal = terminal(80, Colour::Off);
    assert!(!terminal.bug(&file, None).contains("thread.rs"));
    terminal.full = true;
    assert!(terminal.bug(&file, None).contains("thread.rs"));
}

#[test]
fn a_small_interleaving_says_why_it_fails_and_what_passes() {
    let mut file = racy();
    file.explanation = vec![
        "T0 (main) reads counter at racy.c:14 and finds 1; before that T1 (worker) wrote it at racy.c:5.".into(),
        "The read of counter by T1 (worker) at racy.c:4 and its write at racy.c:5 belong together.".into(),
    ];
    let switch =
        |step, from, to, role| Switch { step, from: ThreadId(from), to: ThreadId(to), role, neighbours: Vec::new() };
    let run = Interleaving { plan: Plan::default(), hash: 2, preemptions: 3, steps: file.steps.clone() };
    let mut passing = run.clone();
    passing.steps.swap(5, 6);
    file.minimisation = Some(Minimisation {
        runs: 23,
        allowed: 2000,
        fewest: Fewest::Proven,
        fewest_switches: Fewest::Proven,
        fewest_threads: Fewest::Proven,
        assumed: false,
        stopped: None,
        original: Some(run),
        switches: vec![switch(4, 0, 1, SwitchRole::Forced), switch(6, 1, 2, SwitchRole::Essential)],
        passing: Some(Passing { step: 5, switch: Some(1), shift: Some(-1), others: 0, chosen: None, run: passing }),
    });
    let mut shown = terminal(80, Colour::Off).bug(&file, None);
    let small = file.minimisation.as_mut().expect("just made");
    (small.fewest, small.original, small.fewest_threads) = (Fewest::Unknown, None, Fewest::Unknown);
    small.switches[0].role = SwitchRole::Essential;
    for (runs, allowed) in [(23, 2000), (1, 1), (0, 0)] {
        let small = file.minimisation.as_mut().expect("just made");
        (small.runs, small.allowed) = (runs, allowed);
        let lines = terminal(80, Colour::Off).bug(&file, None);
        shown.push_str("---\n");
        shown.extend(lines.lines().skip_while(|l| !l.starts_with("The interl")).take(6).map(|l| format!("{l}\n")));
    }
    insta::assert_snapshot!(shown);
}

#[test]
fn a_deadlock_says_who_waits_for_what() {
    let mut file = racy();
    file.kind = "deadlock".into();
    file.message = "2 threads wait for ever".into();
    file.waiting = vec![
        "T1 (worker) waits to lock b at racy.c:5; T2 (worker) locked it at racy.c:4".into(),
        "T2 (worker) waits to lock a at racy.c:5; T1 (worker) locked it at racy.c:4".into(),
    ];
    file.output = String::new();
    insta::assert_snapshot!(terminal(80, Colour::Off).bug(&file, Some("racy.trace")));
}

#[test]
fn a_use_after_free_shows_who_allocated_and_freed() {
    let mut file = racy();
    file.kind = "use-after-free".into();
    let what = "a read of 4 bytes at offset 0 of a freed block of 8 bytes";
    file.message = format!("{what}; allocated by T0 (main) at racy.c:9; freed by T1 (worker) at racy.c:5");
    let witness = |what: &str, stack: Vec<Frame>| NamedWitness { what: what.into(), stack };
    file.witnesses = vec![
        witness("allocated by T0 (main)", vec![frame(9), frame(14)]),
        witness("freed by T1 (worker)", vec![frame(5)]),
    ];
    file.steps.truncate(2);
    let text = terminal(80, Colour::Off).bug(&file, None);
    check_width(&text, 80);
    insta::assert_snapshot!(text);
}

#[test]
fn long_names_of_functions_and_files_are_wrapped() {
    let mut file = racy();
    let long = Frame {
        function: Some("std::__new_allocator<some::Element>::allocate(unsigned long, void const*)".into()),
        file: Some("/usr/include/c++/12/bits/a_header_with_a_long_name/new_allocator.h".into()),
        line: Some(137),
        module: "racy+0x1".into(),
    };
    let own = Frame { file: Some("a/directory/of/the/program/with/a/long/name/worker.cpp".into()), ..long.clone() };
    let what = "allocated by T0 (a thread with a name that is so long that nobody would call it so)";
    file.kind = "use-after-free".into();
    file.witnesses = vec![
        NamedWitness { what: what.into(), stack: vec![long] },
        NamedWitness { what: "freed by T1 (worker)".into(), stack: vec![own.clone(), own.clone()] },
    ];
    (file.location, file.stack) = (Some(own.clone()), vec![own.clone(), Frame { line: Some(140), ..own }]);
    let text = terminal(80, Colour::Off).bug(&file, None);
    check_width(&text, 80);
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for whole in ["new_allocator.h:137 in std::__new_allocator<...>::allocate(...)", "called from a/directory/", what] {
        assert!(words.contains(whole), "{whole:?}: {text}");
    }
}

#[test]
fn a_long_run_is_folded_and_a_long_output_cut() {
    let mut file = racy();
    file.steps = (0..8000).map(|i| step((i / 8 % 2) as u16, i / 16, "read counter", 4)).collect();
    file.output = "x\n".repeat(10_000);
    let text = terminal(80, Colour::Off).bug(&file, None);
    check_width(&text, 80);
    assert!(text.contains("800 switches left out") && text.contains("... 9960 lines before"), "{text}");
    assert!(text.lines().count() < 1500);
}

#[test]
fn what_is_chosen_otherwise_where_it_passes_is_said() {
    let told = |what: &str, chosen: Option<(ChoiceKind, u32, u32)>, others: usize, words: &str| {
        let mut file = racy();
        file.steps[2].what = what.to_string();
        let mut steps = file.steps.clone();
        steps[2].thread = gabion_trace::ThreadId(7);
        let run = Interleaving { plan: Plan::default(), hash: 2, preemptions: 0, steps };
        let chosen = chosen.map(|(kind, value, instead)| Chosen { step: 2, kind, value, instead });
        let passing = Passing { step: 2, switch: None, shift: None, others, chosen, run };
        file.minimisation = Some(Minimisation { allowed: 1, passing: Some(passing), ..Minimisation::default() });
        let text = terminal(80, Colour::Off).bug(&file, None);
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains(words), "{words}: {text}");
    };
    let check = |chosen, others, words| told("choose 4 (of 0..6)", chosen, others, words);
    check(None, 0, "It passes if T7 runs at step 3 instead of");
    check(None, 2, "Whom signals wake, or what the program was given, differs then 2 times, too.");
    check(Some((ChoiceKind::Waiter, 1, 2)), 0, "wakes T1 instead of T2.");
    check(Some((ChoiceKind::Program, 0, 4)), 0, "is given 0 at step 3 instead of 4.");
    // One of many values is chosen in parts.
    told("choose 80", Some((ChoiceKind::Program, 0, 1)), 0, "is given something else at step 3.");
}

#[test]
fn a_step_that_is_spoken_of_is_never_folded() {
    let mut file = racy();
    file.steps = (0..8000).map(|i| step((i / 8 % 2) as u16, i / 16, &format!("step {i}"), 4)).collect();
    let shown = |file: &gabion_trace::TraceFile, number: usize| {
        let text = terminal(80, Colour::Off).bug(file, None);
        text.split_whitespace().collect::<Vec<_>>().join(" ").contains(&format!(" {} step {number} ", number + 1))
    };
    // In the middle of what lies between two switches, and of the run.
    let (folded, left_out) = (12, 4004);
    assert!(!shown(&file, folded) && !shown(&file, left_out));
    file.spoken_of = vec![folded, left_out];
    assert!(shown(&file, folded) && shown(&file, left_out));
    file.spoken_of.clear();
    let passing = Passing {
        step: left_out,
        switch: None,
        shift: None,
        others: 0,
        chosen: None,
        run: Interleaving { plan: Plan::default(), hash: 2, preemptions: 0, steps: file.steps.clone() },
    };
    file.minimisation = Some(Minimisation { allowed: 1, passing: Some(passing), ..Minimisation::default() });
    assert!(!shown(&file, folded) && shown(&file, left_out));
}

#[test]
fn verdicts() {
    let trusted = Caveat::new(CaveatKind::TrustedLibrary, "C library and C++ runtime");
    let fewer = Caveat::new(CaveatKind::FewerPoints, "sync");
    let long = Caveat::new(
        CaveatKind::UninstrumentedLibrary,
        "/usr/lib/x86_64-linux-gnu/a-library-with-a-long-name/libsomething.so.12",
    );
    let say = |report: Report, stopped: Option<&str>| {
        let text = terminal(80, Colour::Off).verdict(&report, stopped);
        check_width(&text, 80);
        text
    };
    let all = [
        say(report(Verdict::Verified, vec![trusted.clone()]), None),
        say(report(Verdict::Complete, vec![fewer, long, trusted.clone()]), None),
        say(report(Verdict::Partial, vec![trusted]), Some("the budget of 10m is spent")),
        say(Report::of_error("racy.c does not compile"), None),
    ];
    insta::assert_snapshot!(all.join("\n"));
}

/// A bug of some kind, without anything that explains it.
fn bug(kind: &str) -> Bug {
    Bug {
        kind: kind.into(),
        heuristic: false,
        message: "2 threads wait for ever".into(),
        threads: 2,
        preemptions: 1,
        left_in_loops: Vec::new(),
        steps: 9,
        trace: Some("x.trace".into()),
        location: Some("x.c:7".into()),
        choices: Vec::new(),
        explanation: Vec::new(),
        minimised: None,
        shown: String::new(),
        related: Vec::new(),
        waiting: Vec::new(),
    }
}

#[test]
fn how_grave_a_race_is_does_not_depend_on_who_reads_it() {
    let check = |status, sarif_level: &str, github: &str| {
        let mut report = report(Verdict::Bug, Vec::new());
        report.bugs.push(bug("assertion"));
        report.races.push(Race {
            first: "a.c:1".into(),
            second: "a.c:2".into(),
            order: RaceOrder::Both,
            status,
            object: "x".into(),
            accesses: ["read".into(), "write".into()],
            stacks: [Vec::new(), Vec::new()],
            first_run: true,
            would_order: None,
            takes_part: false,
        });
        let levels: Vec<String> =
            sarif(&report).lines().filter_map(|l| l.trim().strip_prefix("\"level\": ").map(str::to_owned)).collect();
        assert_eq!(levels, ["\"error\",".to_string(), format!("\"{sarif_level}\",")]);
        let annotations = annotations("a.c", &report);
        assert!(
            annotations.lines().nth(1).is_some_and(|line| line.starts_with(&format!("::{github} "))),
            "{annotations}"
        );
    };
    check(RaceStatus::Buggy, "warning", "warning");
    check(RaceStatus::Untested, "warning", "warning");
    check(RaceStatus::Benign, "note", "notice");
}

#[test]
fn how_long_it_took_to_make_a_bug_small_is_always_said() {
    let mut report = report(Verdict::Bug, Vec::new());
    report.minimise_s = 0.001;
    report.bugs.push(bug("deadlock"));
    let say = |report: &Report| {
        let text = terminal(80, Colour::Off).verdict(report, None);
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    assert!(!say(&report).contains("to make it small"), "nobody tried");
    report.bugs[0].minimised = Some(Minimised {
        runs: 3,
        allowed: 10,
        fewest: true,
        found: (1, 9),
        essential: vec![4],
        fewest_switches: true,
        fewest_threads: false,
        assumed_waits: false,
        switches: 2,
    });
    assert!(say(&report).contains(", then 0.00 s to make it small"), "{}", say(&report));
}

#[test]
fn the_json_object() {
    let mut report = report(Verdict::Bug, vec![Caveat::new(CaveatKind::MemoryModel, "x.c:3")]);
    let waiting = vec!["T0 (main) waits to lock a at x.c:7; T1 (work) locked it at x.c:3".into()];
    report.bugs.push(Bug { waiting, ..bug("deadlock") });
    insta::assert_snapshot!(report.to_json());
    let back: Report = serde_json::from_str(&report.to_json()).expect("what we write we read");
    assert_eq!(back, report);
}

#[test]
fn a_list_of_races() {
    const ORDERS: &str = "the store to ready by T1 (worker) at racy.c:3 (relaxed) would have to be release: then the read \
        by T1 (worker) comes before the write by T2 (worker) whenever what is read there is what was written";
    let race = |line: u32, object: &str, status, stacks| Race {
        first: format!("racy.c:{line}"),
        second: "racy.c:5".into(),
        order: RaceOrder::Both,
        status,
        object: object.into(),
        accesses: [format!("read by T1 (worker) at racy.c:{line}"), "write by T2 (worker) at racy.c:5".into()],
        stacks,
        first_run: true,
        would_order: (status == RaceStatus::Untested).then(|| ORDERS.into()),
        takes_part: line == 6,
    };
    let called = ["racy.c:4 in get", "racy.c:9 in both", "racy.c:12 in worker"].map(String::from).to_vec();
    let alone = vec!["racy.c:5 in worker".to_string()];
    let block = "byte 8 of a block of 64 bytes allocated by T0 at racy.c:9";
    let mut report = report(Verdict::Verified, Vec::new());
    report.races = vec![
        race(4, "counter", RaceStatus::Benign, [called.clone(), alone.clone()]),
        race(4, "counter", RaceStatus::Benign, [called, alone.clone()]), // another instruction of the line
        race(10, "other", RaceStatus::Buggy, [alone.clone(), alone.clone()]),
        race(6, "counter", RaceStatus::Buggy, [alone.clone(), alone.clone()]),
        race(7, block, RaceStatus::Untested, [alone.clone(), alone.clone()]),
        race(8, "counter", RaceStatus::False, [alone.clone(), alone.clone()]),
        race(9, "counter", RaceStatus::Realloc, [alone.clone(), alone]),
    ];
    let text = terminal(80, Colour::Off).verdict(&report, None);
    check_width(&text, 80);
    // Who reads annotations or SARIF is told of the same ones.
    assert!(text.contains("Data races: 4\n"), "{text}");
    assert_eq!(annotations("racy.c", &report).matches("title=data race::").count(), 4);
    assert_eq!(sarif(&report).matches("\"ruleId\": \"data-race\"").count(), 4);
    let line = |race: &Race| Line { at: race.first.clone(), points: Vec::new(), states: Vec::new() };
    let lines = report.races.iter().map(line).collect();
    let page = campaign_page("racy.c", &Report { lines, ..report.clone() }, None, &[], &Sources::default());
    for told in [annotations("racy.c", &report), sarif(&report), page] {
        assert!(told.contains("(relaxed) would have to be release"), "{told}");
    }
    // And of the page, which has them from the trace file.
    let mut file = racy();
    let named = |race: &Race| {
        let line = race.first.rsplit(':').next().and_then(|line| line.parse().ok()).expect("a line");
        let stacks = [vec![frame(line)], vec![frame(5)]];
        let status = format!("{:?}", race.status).to_lowercase();
        let (object, accesses, would_order) = (race.object.clone(), race.accesses.clone(), race.would_order.clone());
        NamedRace { object, accesses, stacks, status, both_orders: true, would_order, takes_part: race.takes_part }
    };
    file.races = report.races.iter().map(named).collect();
    let page = bug_page(&file, &Sources::from_text(&[]), None);
    let table = page.split("id=\"races\"").nth(1).and_then(|rest| rest.split("</table>").next()).expect("a table");
    assert_eq!(table.matches("<tr>").count(), 1 + 4, "{table}");
    assert!(table.contains("takes part in the failure") && !table.contains("racy.c:8"), "{table}");
    assert!(table.contains("seen in a run that fails"), "{table}");
    insta::assert_snapshot!(text);
}
