//! Letting the target run ahead: when, and what with (decision 0012).
//!
//! A plan may say how the next one begins. The target then begins the next run by itself, while the search reads the trace of the
//! last, on another core. Whether that is faster depends on the program and on what else the machine does, so both ways
//! are tried, again and again, and the faster one is taken. Which one it is makes no difference to any run.

use gabion_trace::{Choice, ChoiceKind, Mismatch, Plan};
use std::time::Instant;

/// Runs that are timed together.
const WINDOW: u32 = 64;
/// Windows of either way that are compared, by their medians: whoever is disturbed now and then is not slower for it.
const TRIAL: usize = 5;
/// Windows after which the other way is tried: after a change, and at most. Doubled with each trial that changes nothing.
const SOON: u32 = 16;
const LATE: u32 = 512;
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

/// Which way is faster, by what windows of either took when they were last compared.
#[derive(Debug)]
pub struct Pace {
    way: Way,
    /// Runs made in this window, and windows since the way last changed.
    runs: u32,
    windows: u32,
    since: Instant,
    /// Seconds that the last windows of this way took.
    recent: [f64; TRIAL],
    /// What the way that was left takes, while the other is on trial.
    left: Option<f64>,
    /// Windows until the next trial.
    patience: u32,
}

impl Pace {
    /// Begins this way.
    pub fn new(way: Way) -> Self {
        let (runs, windows, since) = (0, 0, Instant::now());
        Pace { way, runs, windows, since, recent: [0.0; TRIAL], left: None, patience: SOON }
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
        self.recent[self.windows as usize % TRIAL] = took;
        self.windows += 1;
        match self.left {
            Some(_) if (self.windows as usize) < TRIAL => {}
            Some(left) => {
                self.left = None;
                if self.median() < left {
                    (self.patience, self.windows) = (SOON, 0);
                } else {
                    self.patience = (self.patience * 2).min(LATE);
                    self.change();
                }
            }
            None if self.windows < self.patience => {}
            None => {
                self.left = Some(self.median());
                self.change();
            }
        }
    }

    fn change(&mut self) {
        (self.way, self.windows) = (self.way.other(), 0);
    }

    fn median(&self) -> f64 {
        let mut recent = self.recent;
        recent.sort_by(f64::total_cmp);
        recent[TRIAL / 2]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs windows that take what `took` says of a way and a number; gives how many were on either.
    fn windows(pace: &mut Pace, count: u32, took: impl Fn(Way, u32) -> f64) -> (u32, u32) {
        let mut ahead = 0;
        for window in 0..count {
            ahead += u32::from(pace.way == Way::Ahead);
            pace.judge(took(pace.way, window));
        }
        (ahead, count - ahead)
    }

    #[test]
    fn the_faster_way_is_taken_nearly_always() {
        for better in [Way::Ahead, Way::Together] {
            let (ahead, together) =
                windows(&mut Pace::new(Way::Together), 4000, |way, _| if way == better { 1.0 } else { 1.5 });
            let slower = if better == Way::Ahead { together } else { ahead };
            assert!(slower > 20 && slower < 90, "{better:?}: {slower}");
        }
    }

    #[test]
    fn a_window_that_was_disturbed_does_not_count() {
        let took = |way, window| {
            if window % 4 == 0 {
                1000.0
            } else if way == Way::Ahead {
                1.0
            } else {
                1.5
            }
        };
        assert!(windows(&mut Pace::new(Way::Together), 4000, took).1 < 90);
    }

    #[test]
    fn what_becomes_slower_is_left() {
        let mut pace = Pace::new(Way::Together);
        windows(&mut pace, 4000, |way, _| if way == Way::Ahead { 1.0 } else { 1.5 });
        let (ahead, _) = windows(&mut pace, 4000, |way, _| if way == Way::Ahead { 2.0 } else { 1.5 });
        assert!(ahead < 2 * LATE, "{ahead}");
    }
}
