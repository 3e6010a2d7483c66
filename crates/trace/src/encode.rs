//! Plans into shared memory.

use crate::shared::{PlanHead, flag, record, tail};
use crate::{FORMAT_VERSION, Mismatch, Plan, Rec, Recording, Tag, Tail, ThreadId, ThreadInfo};

/// A plan that does not fit.
#[derive(Debug, thiserror::Error)]
pub enum EncodeError {
    /// More records than a slot holds.
    #[error("the plan has more than {0} records")]
    TooLong(usize),
}

/// Writes a plan's fixed part and records. Choices come first, so that the target indexes them directly.
pub fn encode(plan: &Plan, head: &mut PlanHead, records: &mut [Rec]) -> Result<(), EncodeError> {
    let capacity = records.len();
    let mut out = records.iter_mut();
    let mut count = 0u32;
    let mut put = |rec: Rec| match out.next() {
        Some(place) => {
            *place = rec;
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
    for s in &plan.shared_stacks {
        put(Rec::new(Tag::SharedStack, 0, *s, 0, 0, 0))?;
    }
    for s in &plan.sleepers {
        put(Rec::new(Tag::Sleeper, 0, s.thread, s.step, s.footprint.accesses.len() as u64, 0))?;
        for access in &s.footprint.accesses {
            put(Rec::access(s.thread, access))?;
        }
    }
    if let Tail::Pct { changes, .. } = &plan.tail {
        for at in changes {
            put(Rec::new(Tag::ChangePoint, 0, ThreadId(0), 0, *at, 0))?;
        }
    }
    *head = fixed(plan);
    head.choices = plan.choices.len() as u32;
    head.records = count;
    Ok(())
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
        flags: if plan.spurious { flag::SPURIOUS } else { 0 } | if plan.recycle { flag::RECYCLE } else { 0 },
        reserved: 0,
        choices: 0,
        records: 0,
        max_steps: plan.limits.steps,
        max_accesses: plan.limits.accesses,
        max_memory: plan.limits.memory,
        seed: plan.seed,
        tail_seed,
    }
}

/// A table in which main created everybody, in order, is what the target makes by itself.
fn is_flat(threads: &[ThreadInfo]) -> bool {
    threads.iter().enumerate().skip(1).all(|(i, t)| t.parent == ThreadId::MAIN && t.nth as usize == i - 1)
}
