//! Campaigns: which state spaces to search, within which budget, and what may be claimed afterwards.
//!
//! Today a [`Campaign`] searches one space (`--mode single`); Iterative Deepening comes into this room. A campaign works
//! on a [`Subject`]: a target that can also repeat a run in a fresh process and name code and data.
//!
//! Absent: how a state space is searched; how anything is shown.

#![forbid(unsafe_code)]

mod board;
mod campaign;
mod evidence;
mod finding;
mod naming;
mod points;
mod races;
mod replay;
mod subject;
mod verdict;

pub use board::{Board, Job, JobId, Rank, Status};
pub use campaign::{AfterBug, Campaign, CampaignError, Live, Settings};
pub use finding::{Finding, Kind};
pub use gabion_analysis::HappensBefore;
pub use points::Points;
pub use races::{Candidate, OnRace, RaceStatus, Racer};
pub use replay::{Replay, Replayed, replay};
pub use subject::Subject;
pub use verdict::{Narrowing, Stop, Summary, Verdict};
