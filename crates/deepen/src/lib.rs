//! Campaigns: which state spaces to search, within which budget, and what may be claimed afterwards.
//!
//! A [`Campaign`] is Iterative Deepening (thesis chapter 4): a [`Board`] of jobs, each a set of preemption points, whose
//! spaces are searched in episodes. It works on a [`Subject`]: a target that can also repeat a run in a fresh process and
//! name code and data.
//!
//! Absent: how a state space is searched; how anything is shown.

#![forbid(unsafe_code)]

mod accepted;
mod allow;
mod asserted;
mod atomicity;
mod blocks;
mod board;
mod campaign;
mod confirm;
mod conflicts;
mod contrast;
mod episode;
mod evidence;
mod explain;
mod failure;
mod finding;
mod framework;
mod holders;
mod job;
mod jobs;
mod judge;
mod kept;
mod kind;
mod libtest;
mod locals;
mod memory;
mod minimise;
mod naming;
mod needs;
mod orders;
mod panic;
mod points;
mod pool;
mod racer;
mod races;
mod reached;
mod reads;
mod replay;
mod resume;
mod settings;
mod signals;
mod site;
mod space;
mod subject;
mod summary;
mod verdict;
mod waits;

pub use allow::Allow;
pub use board::Board;
pub use campaign::{Campaign, Helper};
pub use finding::{Finding, Kind};
pub use gabion_analysis::HappensBefore;
pub use job::{Job, JobId, Rank, Status};
pub use memory::is_low;
pub use points::Points;
pub use races::{Candidate, OnRace, RaceStatus, Racer};
pub use reached::{Line, LineState};
pub use replay::{Happened, Input, Named, Replay, Replayed, replay};
pub use settings::{AfterBug, CampaignError, Live, Mode, Settings, Waits};
pub use site::{Lineage, RaceSite, RaceThreads};
pub use subject::Subject;
pub use verdict::{Narrowing, SpaceSummary, Stop, Summary, Verdict};
