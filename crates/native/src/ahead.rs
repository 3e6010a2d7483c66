//! Letting the target run ahead: when, and what with (decision 0012).
//!
//! A plan may say how the next one begins. The target then begins the next run by itself, while the search reads the trace of the
//! last, on another core. Whether that is faster depends on the program and on what else the machine does, so both ways
//! are tried, again and again, and the faster one is taken. Which one it is makes no difference to any run.

use gabion_trace::{Choice, ChoiceKind, Mismatch, Plan};
use std::time::Instant;

/// Runs that are timed together.
const WINDOW: u32 = 64;
/// Windows after which the slower way gets another chance, and how many it then gets.
const SETTLED: u32 = 64;
const CHANCE: u32 = 2;
/// How much the last window counts.
const WEIGHT: f64 = 0.25;
/// Looks for what comes next before sleeping: some ten microseconds.
const LOOKS: u32 = 4000;

/// How search and target work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// In turns, on one core.
    Together,
    /// At the same time, on two: the target runs ahead.
    Ahead,
}

impl Way {
    fn other(self) -> Self {
        if self == Way::Ahead { Way::Together } else { Way::Ahead }
    }

    /// How often to look for what the other does before sleeping.
    pub fn looks(self) -> u32 {
        if self == Way::Ahead { LOOKS } else { 0 }
    }
}

/// What the target has begun by itself.
#[derive(Default)]
pub struct Held {
    /// The choices that it follows; `None`: nothing is begun.
    choices: Option<usize>,
    followed: Vec<Choice>,
    /// The rest of its plan.
    plan: Plan,
}

impl Held {
    /// Does the plan's run begin with it? The choice where it is held must begin a step, so that nothing sleeps before.
    pub fn begins(&self, plan: &Plan) -> bool {
        let Some(choices) = self.choices else { return false };
        let next = plan.choices.get(choices);
        next.is_some_and(|next| next.kind == ChoiceKind::Thread)
            && plan.choices[..choices] == self.followed
            && plan.mismatch == Mismatch::Stop
            && plan.is_like(&self.plan)
    }

    /// The target will begin what this plan says, or nothing.
    pub fn set(&mut self, plan: Option<&Plan>) {
        let ahead = |plan: &Plan| plan.ahead.map(|choices| (choices as usize).min(plan.choices.len()));
        self.choices = plan.and_then(ahead);
        let (Some(choices), Some(plan)) = (self.choices, plan) else { return };
        self.followed.clear();
        self.followed.extend_from_slice(&plan.choices[..choices]);
        if !plan.is_like(&self.plan) {
            self.plan = Plan { choices: Vec::new(), sleepers: Vec::new(), ..plan.clone() };
        }
    }
}

/// Which way is faster, by what a window of either has taken lately.
#[derive(Debug)]
pub struct Pace {
    way: Way,
    /// Runs made in this window, and windows since the last chance.
    runs: u32,
    windows: u32,
    since: Instant,
    /// Seconds for a window; `None`: not known.
    together: Option<f64>,
    ahead: Option<f64>,
}

impl Pace {
    pub fn new() -> Self {
        Pace { way: Way::Ahead, runs: 0, windows: 0, since: Instant::now(), together: None, ahead: None }
    }

    /// The way for the next run.
    pub fn next(&mut self) -> Way {
        if self.runs == WINDOW {
            let now = Instant::now();
            self.judge((now - self.since).as_secs_f64());
            (self.runs, self.since) = (0, now);
        }
        self.runs += 1;
        self.way
    }

    /// A window is over.
    fn judge(&mut self, took: f64) {
        let known = if self.way == Way::Ahead { &mut self.ahead } else { &mut self.together };
        *known = Some(known.map_or(took, |known| known + (took - known) * WEIGHT));
        self.windows += 1;
        let better = match (self.together, self.ahead) {
            (Some(together), Some(ahead)) if together < ahead => Way::Together,
            (None, Some(_)) => Way::Together,
            _ => Way::Ahead,
        };
        if self.windows == SETTLED {
            self.windows = 0;
        }
        self.way = if self.windows < CHANCE { better.other() } else { better };
    }
}
