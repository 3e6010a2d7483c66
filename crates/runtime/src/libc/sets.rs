//! Sets of signals are memory of the program's, which these functions read and write.

use super::pass::{Call, Then};
use super::touch::{self, R, W};
use gabion_trace::AccessKind;

/// A bit of a set is looked at or changed.
const WORD: usize = 8;
/// A whole set.
const SET: usize = 128;

fn set(size: usize, kind: AccessKind, c: &Call) -> Then {
    touch::point(&[(c.a[0], kind)], c.pc());
    touch::variable(c.a[0], size, kind, c.pc());
    Then::Pass
}

// ABI: signal.h
pass! {
    sigemptyset => |c, _| set(SET, W, c);
    sigfillset => |c, _| set(SET, W, c);
    sigaddset => |c, _| set(WORD, AccessKind::UPDATE, c);
    sigdelset => |c, _| set(WORD, AccessKind::UPDATE, c);
    sigismember => |c, _| set(WORD, R, c);
}
