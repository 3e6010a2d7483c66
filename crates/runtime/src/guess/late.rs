//! Time limits that come again and again.
//!
//! A round that ends by time may have effects: `recv_timeout` enters a list and leaves it. It is neither alike the one before nor
//! without progress, and yet a loop of such rounds may go on for ever. When the limit has come often enough at one place, and nobody woke the
//! thread in between, it comes again only when what the wait itself is for is there, or nobody else can go on. What is lost are
//! interleavings in which it comes more often; that is an assumption like any other here.

use super::assumed::assume;
use super::{Place, doubled, mine, others_can_run};
use crate::waiting::timed::LIMITS;
use gabion_trace::OpKind;

/// The running thread stands before a wait with a time limit. True: the limit has come there often enough, in rounds that may
/// have had effects, to come again only when nobody else can go on.
pub fn is_late_again(op: OpKind, place: Place) -> bool {
    let q = mine();
    if is_there(op) {
        q.late.rounds = 0; // the limit does not come
        return false;
    }
    let same = (q.late.pc, q.late.sp, q.late.object) == (place.pc, place.sp, place.object);
    q.late = Place { rounds: if same { q.late.rounds + 1 } else { 1 }, ..place };
    if q.late.rounds <= doubled(LIMITS) || !others_can_run() {
        return false;
    }
    q.count = 0;
    assume(op, place.pc, q.late.rounds);
    true
}

/// Is what the running thread is about to wait for there already?
fn is_there(op: OpKind) -> bool {
    let at = crate::state::me().pending.object.offset();
    match op {
        OpKind::SemTimedWait => crate::api::sem::available(at),
        OpKind::ParkTimeout => crate::api::standard::park::available(at),
        _ => false,
    }
}

/// The running thread comes to a queue: how often it has looked before says nothing, unless it was there.
pub fn queues(pc: u64) {
    let q = mine();
    q.places[..q.used].iter_mut().filter(|place| place.pc != pc).for_each(|place| place.rounds = 0);
}
