//! What is next to a failing interleaving: each of its switches not made, made earlier, made later.

use super::effort::{Effort, Enough};
use super::schedule::{Key, Schedule, Turn, order, within_steps};
use crate::finding::{Kind, replay_plan};
use crate::naming::Namer;
use crate::{CampaignError, Subject};
use gabion_trace::{
    Chosen, Ending, Interleaving, Neighbour, NeighbourEnd, Passing, Plan, Recording, Switch, SwitchRole, ThreadId,
    Trace,
};

/// Switches of a long run that are looked at: the last ones.
const MOST_SWITCHES: usize = 24;
/// Steps by which a switch is moved at most.
const FARTHEST: u32 = 4;

/// A run that passes, and how far it is from the one that fails.
pub(crate) struct Closest {
    switch: Option<usize>,
    shift: Option<i32>,
    /// The first step in which it differs.
    step: usize,
    /// Steps that were moved.
    distance: u32,
    /// Choices within steps that differ besides.
    others: usize,
    /// The choice within a step that it differs in.
    chosen: Option<Chosen>,
    plan: Plan,
    trace: Trace,
}

/// Finds out about every switch of the run. What was found out is kept when the runs are spent.
pub(crate) fn around(
    effort: &mut Effort<'_>,
    plan: &Plan,
    trace: &Trace,
    switches: &mut Vec<Switch>,
    closest: &mut Option<Closest>,
) -> Result<(), Enough> {
    let schedule = Schedule::of(trace);
    *switches = all(trace);
    let first = switches.len().saturating_sub(MOST_SWITCHES);
    let plan = Plan { choices: Vec::new(), ..plan.clone() };
    let mut look = Look { effort, plan, trace, schedule, closest };
    // What each means comes first, then the nearest of each.
    for (index, switch) in switches.iter_mut().enumerate().skip(first) {
        look.without(switch, index)?;
    }
    for shift in (1..=FARTHEST as i32).flat_map(|by| [-by, by]) {
        for (index, switch) in switches.iter_mut().enumerate().skip(first) {
            look.moved(switch, index, shift)?;
        }
    }
    if look.closest.as_ref().is_none_or(|closest| closest.others > 0) {
        look.chosen_otherwise()?;
    }
    if look.closest.is_none() { look.with_one_more() } else { Ok(()) }
}

/// The switches of a run.
fn all(trace: &Trace) -> Vec<Switch> {
    let left_in_loops = trace.left_in_loops();
    let at = |(index, pair): (usize, &[gabion_trace::Step])| {
        let (from, to) = (pair[0].thread, pair[1].thread);
        let waits = !pair[1].enabled.contains(u32::from(from.0));
        let forced = waits && !left_in_loops.contains(&(index + 1));
        let role = if forced { SwitchRole::Forced } else { SwitchRole::Untried };
        (from != to).then(|| Switch { step: index + 1, from, to, role, neighbours: Vec::new() })
    };
    trace.steps.windows(2).enumerate().filter_map(at).collect()
}

/// Is the thread before the switch left for the one after it when it has made so many steps, or is the run over by then? It
/// may be unable to go so far, or the other one to run there.
fn is_left(trace: &Trace, switch: &Switch, made: u32) -> bool {
    let last = trace.steps.iter().position(|step| step.thread == switch.from && step.number + 1 == made);
    let next = last.map_or(trace.steps.len(), |last| last + 1);
    match trace.steps.get(next) {
        Some(next) => next.thread == switch.to,
        None => trace.steps.last().is_some_and(|last| last.thread == switch.from),
    }
}

struct Look<'a, 'b> {
    effort: &'a mut Effort<'b>,
    plan: Plan,
    trace: &'a Trace,
    schedule: Schedule,
    closest: &'a mut Option<Closest>,
}

impl Look<'_, '_> {
    /// The thread before the switch goes on instead, until it cannot.
    fn without(&mut self, switch: &mut Switch, index: usize) -> Result<(), Enough> {
        if switch.role == SwitchRole::Forced {
            return Ok(());
        }
        let mut schedule = self.without_guess(switch);
        schedule.turns[index].until = u32::MAX;
        if let Some((trace, end)) = self.run(&schedule)? {
            switch.role = self.role(&trace, &end);
            let more = trace.steps[switch.step..].iter().take_while(|step| step.thread == switch.from).count();
            self.passes(&trace, &end, (Some(index), None), more as u32);
        }
        Ok(())
    }

    /// What a switch is that the run was made without.
    fn role(&self, trace: &Trace, end: &NeighbourEnd) -> SwitchRole {
        let this = Kind::of(self.trace.outcome.ending);
        match (end, Kind::of(trace.outcome.ending)) {
            (NeighbourEnd::Fails, _) => SwitchRole::Incidental,
            (NeighbourEnd::Passes, _) => SwitchRole::Essential,
            // Of two endless runs nobody knows that they are not the same, nor how one would go on that was cut; another race may be
            // one that nobody minds.
            (_, Some(other)) if other.is_endless() && this.is_some_and(Kind::is_endless) => SwitchRole::Untried,
            (_, None) => SwitchRole::Untried,
            _ => SwitchRole::Diverting,
        }
    }

    /// The switch comes so many steps later, or earlier.
    fn moved(&mut self, switch: &mut Switch, index: usize, shift: i32) -> Result<(), Enough> {
        let mut schedule = if shift > 0 { self.without_guess(switch) } else { self.schedule.clone() };
        let Turn { until, .. } = schedule.turns[index];
        let length = self.trace.steps[..switch.step].iter().rev().take_while(|s| s.thread == switch.from).count();
        let possible = if shift < 0 { shift.unsigned_abs() < length as u32 } else { switch.role != SwitchRole::Forced };
        let Some(moved) = until.checked_add_signed(shift).filter(|_| possible) else { return Ok(()) };
        schedule.turns[index].until = moved;
        let Some((trace, end)) = self.run(&schedule)? else { return Ok(()) };
        self.passes(&trace, &end, (Some(index), Some(shift)), shift.unsigned_abs());
        let order = order(&trace);
        if is_left(&trace, switch, moved) && switch.neighbours.iter().all(|known| known.order != order) {
            switch.neighbours.push(Neighbour { shift, end, order });
        }
        Ok(())
    }

    /// The schedule, in which a thread that was left because its loop looked as if it waited does not take it so.
    fn without_guess(&self, switch: &Switch) -> Schedule {
        let schedule = self.schedule.clone();
        let guessed = self.trace.left_in_loops().contains(&switch.step);
        if guessed { schedule.going_on(self.trace, switch.step - 1) } else { schedule }
    }

    fn run(&mut self, schedule: &Schedule) -> Result<Option<(Trace, NeighbourEnd)>, Enough> {
        let Some(trace) = self.effort.follow(&self.plan, self.trace, schedule)? else {
            return Ok(None);
        };
        let end = match trace.outcome.ending {
            _ if self.effort.is_same(&self.plan, &trace)? => NeighbourEnd::Fails,
            Ending::Passed if self.effort.shows_other_race(&trace) => NeighbourEnd::Otherwise(Kind::Race.name().into()),
            Ending::Passed => NeighbourEnd::Passes,
            ending => {
                let kind = Kind::of(ending).map(|kind| kind.name().to_string());
                NeighbourEnd::Otherwise(kind.unwrap_or_else(|| format!("{ending:?}").to_lowercase()))
            }
        };
        Ok(Some((trace, end)))
    }

    /// Keeps the run if it passes and is the closest so far: first those in which nothing else was chosen otherwise; of two that
    /// are as close, the one that is the same for longer.
    fn passes(&mut self, trace: &Trace, end: &NeighbourEnd, by: (Option<usize>, Option<i32>), distance: u32) {
        let step = self.trace.steps.iter().zip(&trace.steps).take_while(|(a, b)| a.thread == b.thread).count();
        let others = self.schedule.differing(trace);
        let closer = |known: &Closest| (others, distance, known.step) < (known.others, known.distance, step);
        if *end == NeighbourEnd::Passes && self.closest.as_ref().is_none_or(closer) {
            let ((switch, shift), plan, trace) = (by, self.plan.clone(), trace.clone());
            *self.closest = Some(Closest { switch, shift, step, distance, others, chosen: None, plan, trace });
        }
    }

    /// Lets a signal wake another one, or the program be given something else; the last such choice first, up to the first
    /// such run that passes.
    fn chosen_otherwise(&mut self) -> Result<(), Enough> {
        let base = self.trace;
        let made: Vec<_> = within_steps(base).filter(|made| matches!(made.key, Key::Other(..))).collect();
        for made in made.iter().rev() {
            let (kind, instead) = (made.decision.choice.kind, made.decision.choice.value);
            for value in made.decision.values.iter().filter(|value| *value != instead) {
                let schedule = self.schedule.clone().choosing(made.key, value);
                let Some((trace, NeighbourEnd::Passes)) = self.run(&schedule)? else { continue };
                if schedule.differing(&trace) == 0 {
                    let (step, plan) = (made.step, self.plan.clone());
                    let chosen = Some(Chosen { step, kind, value, instead });
                    let (switch, shift, distance, others) = (None, None, 0, 0);
                    *self.closest = Some(Closest { switch, shift, step, distance, others, chosen, plan, trace });
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Lets another thread run first somewhere, as late as possible, until it cannot; up to the first such run that passes.
    fn with_one_more(&mut self) -> Result<(), Enough> {
        let mut from = self.trace.steps.len();
        for (index, turn) in self.schedule.turns.clone().into_iter().enumerate().rev() {
            let to = std::mem::replace(&mut from, 0);
            let of_turn = |step: &&gabion_trace::Step| step.thread == turn.thread;
            from = to - self.trace.steps[..to].iter().rev().take_while(of_turn).count();
            for step in self.trace.steps[from..to].iter().rev() {
                for other in step.enabled.iter().filter(|other| *other != u32::from(turn.thread.0)) {
                    let first = Turn { until: step.number, ..turn };
                    let other = Turn { thread: ThreadId(other as u16), until: u32::MAX };
                    let (before, after) = self.schedule.turns.split_at(index);
                    let turns = [before, &[first, other], after].concat();
                    if let Some((trace, end)) = self.run(&self.schedule.with(turns))? {
                        self.passes(&trace, &end, (None, None), 1);
                    }
                    if self.closest.is_some() {
                        return Ok(());
                    }
                }
            }
        }
        Ok(())
    }
}

impl Closest {
    pub(crate) fn trace(&self) -> &Trace {
        &self.trace
    }

    /// Repeated in a fresh process, and named.
    pub(crate) fn confirmed(self, subject: &mut dyn Subject) -> Result<Passing, CampaignError> {
        let plan = Plan { fresh: true, ..replay_plan(&self.plan, &self.trace, Recording::Values) };
        let (again, _) = subject.confirm(&plan)?;
        if again.outcome.ending != Ending::Passed || again.hash != self.trace.hash {
            return Err(CampaignError::Nondeterministic(format!("a passing run ended as {:?}", again.outcome.ending)));
        }
        let program = subject.program_hash();
        let run = Interleaving {
            plan: Plan { program, recording: Recording::Hash, fresh: false, ..plan },
            hash: again.hash,
            preemptions: again.preemptions(),
            steps: Namer::of(subject, &again).steps(&again),
        };
        let (others, chosen) = (self.others, self.chosen);
        Ok(Passing { step: self.step, switch: self.switch, shift: self.shift, others, chosen, run })
    }
}
