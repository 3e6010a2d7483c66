//! Annotations by which programs talk to a thread sanitizer: `sanitizer/tsan_interface.h`, and those of older tools.
//!
//! `__tsan_acquire` and `__tsan_release`, and the annotations that mean the same, order accesses for the race analysis where both were
//! made: an operation on an object at the address, which needs no memory there. A lock that is described by
//! `__tsan_mutex_*` is ordered in the same way. Nothing of this keeps a thread waiting: what really does, a program that is instrumented shows itself.
//!
//! Absent: ignoring accesses (`AnnotateIgnoreReadsBegin` and its like: their races are told), names of threads and tags. A program that
//! describes fibers of its own (`__tsan_switch_to_fiber`) is not linked.

use crate::control::controlled;
use crate::interpose::caller;
use crate::record;
use crate::sched;
use crate::state::g;
use gabion_trace::{Address, OpKind, TOLD_ACQUIRE, TOLD_RELEASE};

/// Flags of a described lock: the attempt was one to try, and it failed.
const TRY_LOCK_FAILED: u32 = 1 << 5;

fn told(at: u64, what: u32, pc: u64) {
    if controlled() && g().active {
        sched::reach(OpKind::Hidden, Address::object(at), pc);
        record::op(OpKind::Hidden, Address::object(at), what, pc);
    }
}

macro_rules! edges {
    ($($name:literal fn($($before:ident),*; $at:ident) $what:expr;)*) => {$(
        export!($name, fn($($before: u64,)* $at: u64) {
            $(_ = $before;)*
            told($at, $what, caller());
        });
    )*};
}

// ABI: sanitizer/tsan_interface.h; dynamic_annotations.h: file, line, address.
edges! {
    "__tsan_acquire" fn(; at) TOLD_ACQUIRE;
    "__tsan_release" fn(; at) TOLD_RELEASE;
    "AnnotateHappensBefore" fn(file, line; at) TOLD_RELEASE;
    "AnnotateHappensAfter" fn(file, line; at) TOLD_ACQUIRE;
    "WTFAnnotateHappensBefore" fn(file, line; at) TOLD_RELEASE;
    "WTFAnnotateHappensAfter" fn(file, line; at) TOLD_ACQUIRE;
    "AnnotateRWLockAcquired" fn(file, line; at) TOLD_ACQUIRE;
    "AnnotateRWLockReleased" fn(file, line; at) TOLD_RELEASE;
    "AnnotatePublishMemoryRange" fn(file, line; at) TOLD_RELEASE;
}

export!("__tsan_mutex_post_lock", fn(at: u64, flags: u32, _recursion: i32) {
    if flags & TRY_LOCK_FAILED == 0 {
        told(at, TOLD_ACQUIRE, caller());
    }
});
export!("__tsan_mutex_pre_unlock", fn(at: u64, _flags: u32) -> i32 {
    told(at, TOLD_RELEASE, caller());
    0
});

/// Annotations that change nothing here. They give 0 where they give something.
macro_rules! without_effect {
    ($($name:literal)*) => {$(
        const _: () = {
            // ABI: as above; whatever the arguments are.
            #[unsafe(export_name = $name)]
            #[unsafe(naked)]
            unsafe extern "C" fn entry() -> u64 {
                core::arch::naked_asm!("xor eax, eax", "ret")
            }
        };
    )*};
}

without_effect! {
    "__tsan_mutex_create" "__tsan_mutex_destroy" "__tsan_mutex_pre_lock" "__tsan_mutex_post_unlock"
    "__tsan_mutex_pre_signal" "__tsan_mutex_post_signal" "__tsan_mutex_pre_divert" "__tsan_mutex_post_divert"
    "__tsan_external_register_tag" "__tsan_external_register_header" "__tsan_external_assign_tag"
    "__tsan_external_read" "__tsan_external_write" "__tsan_flush_memory" "__tsan_set_fiber_name"
    "AnnotateRWLockCreate" "AnnotateRWLockCreateStatic" "AnnotateRWLockDestroy" "AnnotateCondVarSignal"
    "AnnotateCondVarSignalAll" "AnnotateCondVarWait" "AnnotateMutexIsNotPHB" "AnnotateMutexIsUsedAsCondVar"
    "AnnotateUnpublishMemoryRange" "AnnotatePCQCreate" "AnnotatePCQDestroy" "AnnotatePCQPut" "AnnotatePCQGet"
    "AnnotateBenignRace" "AnnotateBenignRaceSized" "WTFAnnotateBenignRaceSized" "AnnotateExpectRace"
    "AnnotateFlushExpectedRaces" "AnnotateIgnoreReadsBegin" "AnnotateIgnoreReadsEnd" "AnnotateIgnoreWritesBegin"
    "AnnotateIgnoreWritesEnd" "AnnotateIgnoreSyncBegin" "AnnotateIgnoreSyncEnd" "AnnotateEnableRaceDetection"
    "AnnotateMemoryIsInitialized" "AnnotateMemoryIsUninitialized" "AnnotateNewMemory" "AnnotateTraceMemory"
    "AnnotateThreadName" "AnnotateNoOp" "AnnotateFlushState" "RunningOnValgrind"
}
