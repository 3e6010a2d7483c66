//! What a person or a script sees: the JSON object of the contract, and the terminal's view of verdicts and bugs, and pages for a browser.
//!
//! Absent: running anything. Source files are read where they are to be shown, nothing else.

#![forbid(unsafe_code)]

mod annotations;
mod columns;
mod contract;
mod html;
mod junit;
mod line;
mod paint;
mod races;
mod related;
mod sarif;
mod small;
mod source;
mod spaces;
mod stacks;
mod terminal;
mod text;
mod visible;
mod words;

pub use annotations::annotations;
pub use contract::{
    Bug, Choice, Estimate, Line, LineState, Minimised, Race, RaceOrder, RaceStatus, Report, SCHEMA, Scope, SpaceStatus,
    StateSpace, Test, Verdict,
};
pub use html::{Moment, bug_page, campaign_page};
pub use junit::junit;
pub use line::in_short;
pub use paint::Colour;
pub use races::bounded;
pub use related::{Related, related};
pub use sarif::sarif;
pub use source::Sources;
pub use terminal::Terminal;
pub use text::{about, counted, grouped, seconds};
pub use visible::{printable, visible};
pub use words::{caveat_words, without_others};
