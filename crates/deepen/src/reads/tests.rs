//! Which reads are told, by what is known of them.

use super::*;
use gabion_trace::{Access, AccessKind};

fn read(event: usize, address: u64, on_the_way: Option<usize>, contrast: Contrast) -> Read {
    let access = Access { address: Address::memory(address), size: 4, kind: AccessKind::READ, pc: event as u64 };
    let touch = Touch { event, thread: ThreadId(0), access };
    let before = Touch { event: 0, thread: ThreadId(1), access: Access { kind: AccessKind::WRITE, ..access } };
    let met = Met { access: touch, before: Some(before), recent: true };
    Read { met, near: Nearness::Own, on_the_way, contrast }
}

fn told(mut reads: Vec<Read>) -> Vec<usize> {
    reads.reverse();
    relevant(&candidates(reads)).iter().map(|read| read.met.access.event).collect()
}

#[test]
fn a_read_is_told_for_where_it_is_made_or_for_what_it_finds() {
    use Contrast::{Same, Unknown};
    let other = Contrast::Differs(7);
    let check = |reads: &[(u64, Option<usize>, Contrast)], expected: &[usize]| {
        let reads = reads.iter().enumerate().map(|(i, (at, way, contrast))| read(i + 1, *at, *way, *contrast));
        assert_eq!(told(reads.collect()), expected);
    };
    check(&[(8, None, Unknown)], &[1]);
    check(&[(8, None, Unknown), (8, None, Unknown)], &[2]);
    check(&[(8, None, Unknown), (16, None, Unknown)], &[]);
    check(&[(8, None, Same)], &[]);
    check(&[(8, Some(0), Unknown), (16, None, Unknown)], &[1]);
    check(&[(8, Some(0), Unknown), (16, Some(1), Unknown)], &[1]);
    check(&[(8, Some(0), Unknown), (16, Some(0), Unknown)], &[1, 2]);
    check(&[(8, Some(0), other), (16, Some(0), Same), (24, None, other)], &[1]);
    check(&[(8, None, other), (16, None, Same)], &[1]);
    check(&[(8, None, other), (16, Some(0), Same)], &[1]);
    check(&[(8, None, other), (16, Some(0), Unknown)], &[1, 2]);
    check(&[(8, None, Same), (16, Some(0), Same)], &[]);
    check(&[(8, None, other), (16, None, other)], &[1, 2]);
}

#[test]
fn several_reads_elsewhere_do_not_show_which_of_them_matters() {
    let other = Contrast::Differs(7);
    let check = |reads: &[(u64, Option<usize>)], decided| {
        let reads: Vec<Read> = reads.iter().map(|(at, way)| read(*at as usize, *at, *way, other)).collect();
        assert_eq!(is_decided(&reads), decided);
    };
    check(&[(8, None)], true);
    check(&[(8, None), (8, Some(0))], true);
    check(&[(8, Some(0)), (16, Some(0))], true);
    check(&[(8, None), (16, None)], false);
    check(&[(8, None), (16, Some(0))], true);
    check(&[(8, None), (16, Some(0)), (24, None)], false);
}

#[test]
fn what_is_far_away_or_nobody_else_writes_is_no_candidate() {
    let near = read(1, 8, None, Contrast::Unknown);
    let foreign = Read { near: Nearness::Foreign, ..read(2, 16, Some(0), Contrast::Unknown) };
    let called = Read { near: Nearness::Called, ..read(3, 24, Some(0), Contrast::Unknown) };
    let mut private = read(4, 32, Some(0), Contrast::Unknown);
    private.met.before = None;
    let mut old = read(5, 40, None, Contrast::Unknown);
    old.met.recent = false;
    assert_eq!(told(vec![near, foreign, called, private, old]), [1]);
    assert_eq!(told(vec![called]), [3]);
    let other = Read { near: Nearness::Called, ..read(6, 48, Some(0), Contrast::Unknown) };
    assert_eq!(told(vec![called, other]), [6]);
    assert_eq!(told(vec![old]), [5]);
    private.contrast = Contrast::Differs(1);
    assert_eq!(told(vec![private]), [4], "where it passes somebody has written it");
}

#[test]
fn an_expression_and_the_arguments_of_calls_are_on_the_way() {
    let stack = |places: &[(&str, u32)]| -> Vec<Frame> {
        let frame = |(function, line): &(&str, u32)| {
            let (function, file) = (Some(function.to_string()), Some("p.c".to_string()));
            Frame { function, file, line: Some(*line), module: String::new() }
        };
        places.iter().map(frame).collect()
    };
    let failing = stack(&[("check", 5), ("all", 12), ("main", 20)]);
    let check = |read: &[(&str, u32)], expected| assert_eq!(on_the_way(&failing, &stack(read)), expected, "{read:?}");
    check(&[("check", 5), ("all", 12), ("main", 20)], Some(0));
    check(&[("get", 3), ("check", 5), ("all", 12), ("main", 20)], Some(0));
    check(&[("all", 12), ("main", 20)], Some(1));
    check(&[("get", 3), ("all", 12), ("main", 20)], Some(1));
    check(&[("main", 20)], Some(2));
    check(&[("check", 4), ("all", 12), ("main", 20)], None);
    check(&[("all", 11), ("main", 20)], None);
    check(&[("main", 19)], None);
    let mut said = failing.clone();
    said.insert(0, Frame { file: Some("p.c".into()), line: Some(5), ..Frame::default() });
    assert_eq!(on_the_way(&said, &failing), Some(0));
}
