//! Trace files: what is written is read, what is damaged anywhere is refused, older ones are read.

use gabion_trace::{
    Choice, ChoiceKind, Ending, FORMAT_VERSION, Fewest, Frame, Minimisation, NamedStep, Neighbour, NeighbourEnd,
    OpKind, Outcome, Plan, Point, Program, Statistics, Switch, SwitchRole, ThreadId, TraceFile, TraceFileError,
};
use std::collections::BTreeMap;

fn frame(line: u32) -> Frame {
    Frame { function: Some("worker".into()), file: Some("a.c".into()), line: Some(line), module: "a+0x10".into() }
}

fn step(thread: u16, number: u32, line: u32) -> NamedStep {
    NamedStep {
        thread: ThreadId(thread),
        number,
        point: Point::Everywhere,
        enabled: 2,
        what: "read counter (is 0)".into(),
        stack: vec![frame(line)],
        chosen: Vec::new(),
        accesses: Vec::new(),
    }
}

fn file(steps: u32) -> TraceFile {
    let choice = Choice {
        kind: ChoiceKind::Thread,
        thread: ThreadId(1),
        step: 3,
        op: OpKind::Access,
        alternatives: 2,
        value: 2,
    };
    TraceFile {
        format: FORMAT_VERSION,
        gabion: "0.1.0".into(),
        command: vec!["gabion".into(), "check".into(), "a.c".into()],
        program: Program { path: "a.c".into(), hash: 7, ..Program::default() },
        plan: Plan { choices: vec![choice], ..Plan::default() },
        variables: vec![(8, "counter".into(), 0)],
        hash: 99,
        outcome: Outcome {
            ending: Ending::Assertion,
            code: 0,
            thread: ThreadId(0),
            pc: 1,
            address: 0,
            message: "counter == 2".into(),
        },
        failed_in: None,
        kind: "assertion".into(),
        message: "counter == 2".into(),
        explanation: vec!["T2 came between.".into()],
        spoken_of: vec![0],
        location: Some(frame(14)),
        stack: vec![frame(14)],
        witnesses: Vec::new(),
        relation: None,
        waiting: Vec::new(),
        blocked: Vec::new(),
        threads: vec!["main".into(), "worker".into(), "worker".into()],
        steps: (0..steps).map(|number| step(1 + (number / 5 % 2) as u16, number, 4 + number % 3)).collect(),
        preemptions: 1,
        left_in_loops: vec![5],
        output: "zwölf\n".into(),
        minimisation: Some(Minimisation {
            runs: 12,
            allowed: 2000,
            fewest: Fewest::Proven,
            switches: vec![Switch {
                step: 5,
                from: ThreadId(1),
                to: ThreadId(2),
                role: SwitchRole::Essential,
                neighbours: vec![Neighbour {
                    shift: -1,
                    end: NeighbourEnd::Otherwise("deadlock".into()),
                    order: vec![(ThreadId(1), 4), (ThreadId(2), 6)],
                }],
            }],
            ..Minimisation::default()
        }),
        races: Vec::new(),
        statistics: Statistics { runs: 12, estimate: Some(40.5), ..Statistics::default() },
        sources: BTreeMap::from([("a.c".into(), BTreeMap::from([(14, "    assert(counter == 2);".into())]))]),
    }
}

#[test]
fn what_is_written_is_read() {
    for steps in [0, 10, 2000] {
        let file = file(steps);
        assert_eq!(TraceFile::from_bytes(&file.to_bytes()).expect("a file"), file);
    }
}

#[test]
fn long_traces_are_small() {
    let bytes = file(2000).to_bytes();
    assert!(bytes.len() < 2000 * 20, "{} bytes for 2,000 steps", bytes.len());
}

#[test]
fn whatever_byte_is_changed_the_file_is_refused() {
    let whole = file(10).to_bytes();
    for at in 0..whole.len() {
        for flip in [0x01, 0x03, 0x10, 0x20, 0x80, 0xff] {
            let mut changed = whole.clone();
            changed[at] ^= flip;
            assert!(TraceFile::from_bytes(&changed).is_err(), "byte {at} changed by {flip:#x}");
        }
    }
}

#[test]
fn wherever_it_is_cut_the_file_is_refused() {
    let whole = file(10).to_bytes();
    for length in 0..whole.len() {
        assert!(TraceFile::from_bytes(&whole[..length]).is_err(), "cut after {length} bytes");
    }
    let longer = [&whole[..], b"\n"].concat();
    assert!(TraceFile::from_bytes(&longer).is_err(), "with something behind it");
}

/// As version 1 wrote it.
const OLD: &str = include_str!("version1.trace");

#[test]
fn older_files_are_read_and_newer_ones_refused_by_name() {
    let old = TraceFile::from_bytes(OLD.as_bytes()).expect("version 1 can be read");
    assert_eq!((old.kind.as_str(), old.steps.len(), old.minimisation), ("assertion", 4, None));
    assert!(!TraceFile::has_checksum(OLD.as_bytes()) && TraceFile::has_checksum(&file(10).to_bytes()));
    let newer = b"gabion trace 3 10 00000000\n0123456789";
    assert!(matches!(TraceFile::from_bytes(newer), Err(TraceFileError::Version(version)) if version == "3"));
    let plan = OLD.replace("\"format\":2", "\"format\":1");
    assert!(
        matches!(TraceFile::from_bytes(plan.as_bytes()), Err(TraceFileError::Version(version)) if version == "1.1")
    );
}
