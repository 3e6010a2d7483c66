//! Words for what is done, and numbers as people write them.

use gabion_trace::{AccessKind, OpKind};

/// What an access does, in a word.
pub(crate) fn access_verb(kind: AccessKind) -> &'static str {
    match (kind.has(AccessKind::FREE), kind.reads(), kind.writes()) {
        (true, ..) => "free",
        (_, true, true) => "update",
        (_, _, true) => "write",
        _ => "read",
    }
}

/// The low `size` bytes as a number: small ones as people write them, pointers and bit patterns in hexadecimal.
pub(crate) fn number(value: u64, size: u32) -> String {
    let value = if size >= 8 { value } else { value & ((1 << (8 * size)) - 1) };
    let shift = 64 - 8 * size.clamp(1, 8);
    let signed = ((value << shift) as i64) >> shift;
    if (-65536..65536).contains(&signed) { signed.to_string() } else { format!("{value:#x}") }
}

/// What an operation does to its object.
pub(super) fn verb(op: OpKind) -> &'static str {
    use OpKind::*;
    match op {
        Run => "run",
        ThreadStart => "start",
        ThreadEnd => "end",
        Create => "create",
        Join | TryJoin => "join",
        ScopeLeave => "leave the scope as",
        ScopeJoin => "wait at the end of the scope for",
        Detach => "detach",
        MutexLock | SpinLock => "lock",
        MutexTryLock | SpinTryLock => "try to lock",
        MutexTimedLock => "lock with timeout",
        MutexUnlock | SpinUnlock | ReadUnlock | WriteUnlock => "unlock",
        MutexManage | CondManage | RwManage | SpinManage | BarrierManage | SemManage => "set up or destroy",
        CondWait | FutexWait => "wait on",
        CondQueued | FutexQueued => "be signalled on",
        CondTimeout | FutexTimeout => "time out on",
        CondReacquire => "lock again",
        CondSignal => "signal",
        CondBroadcast => "broadcast",
        ReadLock => "read-lock",
        WriteLock => "write-lock",
        ReadTryLock => "try to read-lock",
        WriteTryLock => "try to write-lock",
        BarrierArrive => "arrive at",
        BarrierWait => "leave",
        SemWait => "wait for",
        SemTryWait => "try to take",
        SemTimedWait => "wait with timeout for",
        SemPost => "post",
        SemRead => "read the value of",
        Park => "park, with the token at",
        ParkTimeout => "park with timeout, with the token at",
        Unpark => "unpark, with the token at",
        Once => "run once",
        OnceDone => "finish once",
        FutexWake => "wake",
        Yield => "yield",
        Sleep => "sleep",
        Access => "access",
        AtomicLoad => "atomic load",
        AtomicStore => "atomic store",
        AtomicUpdate => "atomic update",
        Fence => "fence",
        Free => "free",
        Allocate => "allocate from",
        Hidden => "use",
        SystemCall => "system call",
        Exit => "exit",
        Choose => "choose",
        Preempt => "preempt",
        Pause => "pause",
    }
}

#[cfg(test)]
mod tests {
    use super::number;

    #[test]
    fn numbers_read_as_people_write_them() {
        let check = |value, size, text: &str| assert_eq!(number(value, size), text);
        check(7, 4, "7");
        check(0xffff_ffff, 4, "-1");
        check(0xdead_beef_0000_0001, 1, "1");
        check(0x7fff_1234_5678, 8, "0x7fff12345678");
    }
}
