//! Plans into shared memory.

use crate::shared::{MAX_SLEEPERS, PlanHead, flag, record, tail};
use crate::{
    Access, AccessKind, Contended, FORMAT_VERSION, Mismatch, Plan, Rec, Recording, Space, Tag, Tail, ThreadId,
    ThreadInfo,
};
use std::borrow::Cow;

/// A plan that does not fit.
#[derive(Debug, thiserror::Error)]
pub enum EncodeError {
    /// More records than a slot holds.
    #[error("the plan has more than {0} records")]
    TooLong(usize),
    /// More sleeping events than the target keeps track of.
    #[error("{0} events of the plan sleep; {MAX_SLEEPERS} may")]
    TooManySleepers(usize),
}

/// Writes a plan's fixed part and records. Choices come first, so that the target indexes them directly.
pub fn encode(plan: &Plan, head: &mut PlanHead, records: &mut [Rec]) -> Result<(), EncodeError> {
    if plan.sleepers.len() > MAX_SLEEPERS {
        return Err(EncodeError::TooManySleepers(plan.sleepers.len()));
    }
    let capacity = records.len();
    let mut out = records.iter_mut();
    let mut count = 0u32;
    let mut put = |rec: Rec| match out.next() {
        Some(place) => {
            // Most plans begin as the one did that was there before: what stays the same stays on the target's core.
            if *place != rec {
                *place = rec;
            }
            count += 1;
            Ok(())
        }
        None => Err(EncodeError::TooLong(capacity)),
    };
    for c in &plan.choices {
        put(Rec::choice(c.kind, c.thread, c.step, c.op, c.alternatives, c.value, 0))?;
    }
    if !is_flat(&plan.threads) {
        for (i, t) in plan.threads.iter().enumerate() {
            put(Rec::new(Tag::Thread, 0, ThreadId(i as u16), t.nth, u64::from(t.parent.0), t.start))?;
        }
    }
    for r in &plan.races {
        put(Rec::new(Tag::RacePoint, 0, ThreadId(0), r.thread.map_or(0, |t| u32::from(t.0) + 1), r.pc, 0))?;
    }
    for s in &plan.seals {
        put(Rec::new(Tag::Seal, u8::from(s.allow), ThreadId(0), 0, s.from, s.to))?;
    }
    for r in &plan.trusted {
        put(Rec::new(Tag::Trusted, 0, ThreadId(0), 0, r.from, r.to))?;
    }
    for r in &plan.ignored {
        put(Rec::new(Tag::Ignored, 0, ThreadId(0), 0, r.from, r.to))?;
    }
    for s in &plan.shared_stacks {
        put(Rec::new(Tag::SharedStack, 0, *s, 0, 0, 0))?;
    }
    for s in &plan.sleepers {
        let footprint = joined(&s.footprint.accesses);
        let (values, accesses) = (s.values.len() as u64, footprint.len() as u64);
        put(Rec::new(Tag::Sleeper, 0, s.thread, s.step, accesses, values))?;
        for value in &s.values {
            put(Rec::new(Tag::SleeperValue, 0, s.thread, *value, 0, 0))?;
        }
        for access in footprint.iter() {
            put(Rec::access(s.thread, access))?;
        }
    }
    if let Tail::Pct { changes, .. } = &plan.tail {
        for at in changes {
            put(Rec::new(Tag::ChangePoint, 0, ThreadId(0), 0, *at, 0))?;
        }
    }
    let mut hash = 0;
    for range in &plan.contended {
        let rec = contended(range);
        hash = rec.mix(hash);
        put(rec)?;
    }
    *head = fixed(plan);
    head.contended = plan.contended.len() as u32;
    head.contended_hash = hash;
    head.choices = plan.choices.len() as u32;
    head.ahead = plan.ahead.map_or(0, |choices| choices + 1);
    head.records = count;
    Ok(())
}

/// Accesses from which on those that lie side by side are joined.
const MANY: usize = 1024;
/// Joined accesses that a further one is held against.
const OPEN: usize = 4;

/// The same as far as conflicts go, in fewer accesses: a loop over an array, which may read and write each element, becomes a
/// few of the whole array.
fn joined(accesses: &[Access]) -> Cow<'_, [Access]> {
    if accesses.len() < MANY {
        return Cow::Borrowed(accesses);
    }
    let plain = |a: &Access| a.address.space() == Some(Space::Memory) && a.kind.0 & AccessKind::REUSE.0 & !3 == 0;
    let mut all: Vec<Access> = Vec::new();
    for access in accesses {
        let from = all.len().saturating_sub(OPEN);
        let goes_on = |open: &&mut Access| {
            let end = open.address.0.checked_add(open.size.into());
            plain(open) && plain(access) && open.kind == access.kind && end == Some(access.address.0)
        };
        match all[from..].iter_mut().rev().find(goes_on) {
            Some(open) if open.size.checked_add(access.size).is_some() => open.size += access.size,
            _ => all.push(*access),
        }
    }
    Cow::Owned(all)
}

fn contended(range: &Contended) -> Rec {
    Rec::new(Tag::Contended, 0, ThreadId(0), 0, range.from, range.to)
}

fn fixed(plan: &Plan) -> PlanHead {
    let (tail, tail_seed) = match plan.tail {
        Tail::Default => (tail::DEFAULT, 0),
        Tail::Fair => (tail::FAIR, 0),
        Tail::Random { seed } => (tail::RANDOM, seed),
        Tail::Pct { seed, .. } => (tail::PCT, seed),
        Tail::Pos { seed } => (tail::POS, seed),
    };
    PlanHead {
        id: plan.id.0,
        version: FORMAT_VERSION,
        points: plan.points.0 | 1,
        tail,
        mismatch: match plan.mismatch {
            Mismatch::Stop => 0,
            Mismatch::Skip => 1,
            Mismatch::Nearest => 2,
        },
        record: match plan.recording {
            Recording::Hash => record::HASH,
            Recording::Accesses => record::ACCESSES,
            Recording::Stacks => record::STACKS,
            Recording::Values => record::VALUES,
        },
        flags: flags(plan),
        doublings: plan.limits.doublings,
        reserved: 0,
        choices: 0,
        ahead: 0,
        records: 0,
        contended: 0,
        contended_hash: 0,
        max_steps: plan.limits.steps,
        max_accesses: plan.limits.accesses,
        max_memory: plan.limits.memory,
        seed: plan.seed,
        tail_seed,
        statuses: plan.statuses.changed(),
    }
}

fn flags(plan: &Plan) -> u8 {
    let all = [
        (plan.spurious, flag::SPURIOUS),
        (plan.recycle, flag::RECYCLE),
        (plan.strict_malloc, flag::STRICT_MALLOC),
        (plan.leaks, flag::LEAKS),
        (plan.inside_std, flag::INSIDE_STD),
        (plan.free_held, flag::FREE_HELD),
    ];
    all.iter().filter(|(on, _)| *on).fold(0, |flags, (_, flag)| flags | flag)
}

/// A table in which main created everybody, in order, is what the target makes by itself.
fn is_flat(threads: &[ThreadInfo]) -> bool {
    threads.iter().enumerate().skip(1).all(|(i, t)| t.parent == ThreadId::MAIN && t.nth as usize == i - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Access, AccessKind, Address, Choice, ChoiceKind, Footprint, OpKind, RacePoint, Region, Seal, Sleeper};

    fn encoded(plan: &Plan, room: usize) -> Result<Vec<Rec>, EncodeError> {
        let (mut head, mut records) = (PlanHead::default(), vec![Rec::default(); room]);
        encode(plan, &mut head, &mut records)?;
        assert_eq!(head.choices as usize, plan.choices.len());
        records.truncate(head.records as usize);
        Ok(records)
    }

    fn tags(records: &[Rec]) -> Vec<Tag> {
        records.iter().map(|r| r.tag().expect("a known tag")).collect()
    }

    fn access(at: u64) -> Access {
        Access { address: Address::object(at), size: 1, kind: AccessKind::UPDATE, pc: 7 }
    }

    fn sleeper(values: &[u32], accesses: &[u64]) -> Sleeper {
        let footprint = Footprint { accesses: accesses.iter().map(|at| access(*at)).collect() };
        Sleeper { thread: ThreadId(3), step: 5, values: values.to_vec(), footprint }
    }

    #[test]
    fn footprints_of_loops_are_joined() {
        let access = |at, size, kind| Access { address: Address::memory(at), size, kind, pc: at };
        let both = [AccessKind::READ, AccessKind::WRITE];
        let all: Vec<Access> = (0..4096).flat_map(|i| both.map(|kind| access(64 + 4 * i, 4, kind))).collect();
        let joined = joined(&all);
        let expected = both.map(|kind| Access { pc: 64, ..access(64, 4 * 4096, kind) });
        assert_eq!(*joined, expected);
        // What is apart stays apart, and so does what is not plain memory.
        let apart: Vec<Access> = (0..4096).map(|i| access(16 * i, 8, AccessKind::WRITE)).collect();
        assert_eq!(*super::joined(&apart), apart[..]);
        let freed: Vec<Access> =
            (0..4096).map(|i| access(8 * i, 8, AccessKind::WRITE.with(AccessKind::FREE))).collect();
        assert_eq!(*super::joined(&freed), freed[..]);
    }

    #[test]
    fn sleepers_say_what_follows_them() {
        let sleepers = vec![sleeper(&[], &[64]), sleeper(&[2, 9], &[]), sleeper(&[4], &[72, 80])];
        let records = encoded(&Plan { sleepers, ..Plan::default() }, 16).expect("there is room");
        use Tag::{Access as A, Sleeper as S, SleeperValue as V};
        assert_eq!(tags(&records), [S, A, S, V, V, S, V, A, A]);
        assert!(records.iter().all(|r| r.thread() == ThreadId(3)));
        let counts = |i: usize| (records[i].n(), records[i].b, records[i].a);
        assert_eq!([counts(0), counts(2), counts(5)], [(5, 0, 1), (5, 2, 0), (5, 1, 2)]);
        assert_eq!([records[3].n(), records[4].n(), records[6].n()], [2, 9, 4]);
        assert_eq!([records[1].as_access(), records[8].as_access()], [access(64), access(80)]);
    }

    #[test]
    fn choices_come_first_contended_memory_last_and_seals_stay_in_order() {
        let choice = Choice {
            kind: ChoiceKind::Thread,
            thread: ThreadId(0),
            step: 1,
            op: OpKind::Run,
            alternatives: 2,
            value: 1,
        };
        let seal = |from, allow| Seal { from, to: from + 8, allow };
        let plan = Plan {
            choices: vec![choice],
            races: vec![RacePoint { pc: 1, thread: None }],
            seals: vec![seal(16, true), seal(32, false), seal(16, false)],
            trusted: vec![Region { from: 4, to: 5 }],
            ignored: vec![Region { from: 6, to: 7 }],
            shared_stacks: vec![ThreadId(1)],
            contended: vec![Contended { from: 8, to: 24 }],
            sleepers: vec![sleeper(&[], &[])],
            ..Plan::default()
        };
        let records = encoded(&plan, 16).expect("there is room");
        use Tag::{Choice as C, Contended as M, Ignored as I, RacePoint as R, Seal as S, SharedStack as K};
        use Tag::{Sleeper as Z, Trusted as T};
        assert_eq!(tags(&records), [C, R, S, S, S, T, I, K, Z, M]);
        let seals: Vec<_> = records[2..5].iter().map(|r| (r.a, r.b, r.flags())).collect();
        assert_eq!(seals, [(16, 24, 1), (32, 40, 0), (16, 24, 0)]);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let plan = Plan { sleepers: vec![sleeper(&[1], &[64])], ..Plan::default() };
        assert!(encoded(&plan, 3).is_ok());
        assert!(matches!(encoded(&plan, 2), Err(EncodeError::TooLong(2))));
        let many = Plan { sleepers: vec![sleeper(&[], &[]); MAX_SLEEPERS + 1], ..Plan::default() };
        assert!(matches!(encoded(&many, 2 * MAX_SLEEPERS), Err(EncodeError::TooManySleepers(_))));
    }
}
