//! The Rust standard library's own synchronisation: its atomic accesses as the operations that they are part of, and models of
//! the functions that wait (decision 0014).
//!
//! A `Mutex` costs a run as much as a `pthread_mutex_t`: its fast path is one operation that waits until it can succeed, so
//! the paths for contention are never taken. State stays where the library keeps it, because part of the library is not
//! instrumented and looks at it too.

mod barrier;
mod condvar;
mod harness;
pub mod locks;
mod memory;
pub mod once;
pub mod park;
pub mod scope;

use crate::standard;
use gabion_trace::OpKind;
use gabion_trace::standard::{Model, Site};

/// Detail of a pending operation on one of the library's objects, where the C library's look different.
pub const WORD: u64 = 1 << 32;

/// The point before an atomic access of the library. False: it is to be treated like any other.
pub fn before(site: Site, op: OpKind, at: u64, size: u64, pc: u64) -> bool {
    use OpKind::{AtomicLoad, AtomicUpdate};
    match (site, op) {
        (Site::Trusted, _) => {}
        (Site::Scope, AtomicLoad) if size == scope::COUNTER => scope::wait(at, pc),
        (Site::Scope, _) => {}
        (Site::Unpark, AtomicUpdate) => park::before_unpark(at, pc),
        (Site::Wake, AtomicUpdate) => {}
        (Site::Library, _) if standard::is_library(pc) => {}
        (Site::Own | Site::Caller | Site::Unpark | Site::Wake | Site::Library, _) => return false,
        (Site::Begin | Site::Part | Site::Start | Site::StartInside, _) => return false,
        (Site::BeginLock | Site::PartLock | Site::PartUnlock, _) => return false,
        _ => return locks::before(site, op, at, pc),
    }
    true
}

/// Is an access of so many bytes part of an operation that has begun? The words that operations begin with are no flags.
pub fn is_part(site: Site, size: u64) -> bool {
    site == Site::Part || site == Site::Begin && size == 1
}

/// The record of it. `wrote`: it changed memory, or could have; `changed`: it did.
pub fn after(site: Site, op: OpKind, at: u64, wrote: bool, changed: bool, pc: u64) {
    match site {
        Site::Unpark | Site::Wake => park::after_unpark(at, changed, pc),
        Site::Trusted | Site::Scope | Site::Own | Site::Caller | Site::Library | Site::Begin | Site::Part => {}
        // One of the others, by the plan.
        Site::Start | Site::StartInside | Site::BeginLock | Site::PartLock | Site::PartUnlock => {}
        _ => locks::after(site, op, at, wrote, pc),
    }
}

/// Where a model begins.
pub fn entry(model: Model) -> u64 {
    let entry = match model {
        Model::LockContended => locks::lock_contended as *const () as usize,
        Model::ReadContended => locks::read_contended as *const () as usize,
        Model::WriteContended => locks::write_contended as *const () as usize,
        Model::Wait => condvar::wait as *const () as usize,
        Model::WaitTimeout => condvar::wait_timeout as *const () as usize,
        Model::NotifyOne => condvar::notify_one as *const () as usize,
        Model::NotifyAll => condvar::notify_all as *const () as usize,
        Model::OnceCall => once::call as *const () as usize,
        Model::OnceWait => once::wait as *const () as usize,
        Model::ThreadPark => park::thread_park as *const () as usize,
        Model::ThreadParkTimeout => park::thread_park_timeout as *const () as usize,
        Model::Park => park::park as *const () as usize,
        Model::ParkTimeout => park::park_timeout as *const () as usize,
        Model::ScopeEnter => scope::enter as *const () as usize,
        Model::ScopeLeave => scope::leave as *const () as usize,
        Model::Barrier => barrier::wait as *const () as usize,
        Model::Harness => harness::run as *const () as usize,
        Model::Dealloc => memory::__gabion_dealloc as *const () as usize,
        Model::Alloc => memory::__gabion_alloc as *const () as usize,
        Model::AllocZeroed => memory::__gabion_alloc_zeroed as *const () as usize,
        Model::Realloc => memory::__gabion_realloc as *const () as usize,
    };
    entry as u64
}

/// Defines models: functions that begin like every interposed one. They are put in place for a search only.
macro_rules! models {
    ($($rest:tt)*) => { $crate::api::standard::model! { ($crate::waiting::effect()) enter_here $($rest)* } };
}
use models;

/// As [`models`], of functions whose effect, if any, is told by what they record: see `waiting`.
macro_rules! models_open {
    ($($rest:tt)*) => { $crate::api::standard::model! { (()) enter_apart $($rest)* } };
}
use models_open;

macro_rules! model {
    (($effect:expr) $enter:ident $($(#[$meta:meta])* fn $name:ident($($a:ident : $t:ty),*) $(-> $r:ty)? $body:block)*) => {$(
        $(#[$meta])*
        // ABI: Rust's, which passes a few words like C's.
        #[unsafe(naked)]
        pub unsafe extern "C-unwind" fn $name($(_: $t),*) $(-> $r)? {
            unsafe extern "C-unwind" fn body($($a: $t),*) $(-> $r)? {
                $effect;
                $body
            }
            $enter!(body)
        }
    )*};
}
use model;

/// Virtual time after a `Duration`.
fn later(seconds: u64, nanoseconds: u32) -> u64 {
    let total = seconds.saturating_mul(1_000_000_000).saturating_add(u64::from(nanoseconds));
    crate::state::me().time.saturating_add(total)
}
