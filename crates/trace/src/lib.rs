//! What crosses the border between the program under test and the search: plans in, traces out.
//!
//! This crate owns the identities, the operations, the one definition of *conflict* ([`Access::conflicts`] and
//! [`Footprint::conflicts`]), the layout of the memory that both processes share, and the trace file. Without the `std`
//! feature it is `no_std` and holds only what the runtime inside the target needs.
//!
//! Absent: any other crate of ours, IO, time.

#![cfg_attr(not(feature = "std"), no_std)]
#![forbid(unsafe_code)]

mod access;
mod address;
mod ending;
mod ids;
pub mod known;
mod op;
pub mod places;
mod point;
mod record;
pub mod shared;
pub mod standard;
pub mod unwind;

pub use access::{Access, AccessKind};
pub use address::{Address, Pseudo, Space};
pub use ending::{Coverage, Ending};
pub use ids::{PlanId, ThreadId};
pub use op::{ChoiceKind, ONCE_DONE, OpKind, TOLD_ACQUIRE, TOLD_RELEASE};
pub use point::{Point, PointSet};
pub use record::{FINAL, Rec, Role, SPINS, Tag};

#[cfg(feature = "std")]
mod caveat;
#[cfg(feature = "std")]
mod decode;
#[cfg(feature = "std")]
mod encode;
#[cfg(feature = "std")]
mod file;
#[cfg(feature = "std")]
mod footprint;
#[cfg(feature = "std")]
mod minimal;
#[cfg(feature = "std")]
mod named;
#[cfg(feature = "std")]
mod plan;
#[cfg(feature = "std")]
mod rounds;
#[cfg(feature = "std")]
mod source;
#[cfg(feature = "std")]
mod standing;
#[cfg(feature = "std")]
mod target;
#[cfg(feature = "std")]
mod trace;
#[cfg(feature = "std")]
mod values;

#[cfg(feature = "std")]
pub use self::{
    caveat::{Caveat, CaveatKind},
    decode::{DecodeError, decode},
    encode::{EncodeError, encode},
    file::{Statistics, TRACE_FILE_VERSION, TraceFile, TraceFileError},
    footprint::Footprint,
    minimal::{Chosen, Fewest, Interleaving, Minimisation, Neighbour, NeighbourEnd, Passing, Switch, SwitchRole},
    named::{
        Frame, NamedAccess, NamedChoice, NamedRace, NamedStep, NamedWait, NamedWitness, Program, Surroundings, readable,
    },
    plan::{Choice, Contended, Limits, Mismatch, Plan, RacePoint, Recording, Region, Seal, Sleeper, Statuses, Tail},
    rounds::{Round, rounds},
    source::Source,
    standing::{OnStack, Standing},
    target::{RunError, Target},
    trace::{AssumedWait, Blocked, Decision, Event, Outcome, Pending, Span, Step, ThreadInfo, Trace, Waiting, Witness},
    values::Values,
};

/// Version of the plan and trace format in shared memory and in files. Readers refuse any other.
pub const FORMAT_VERSION: u32 = 2;
