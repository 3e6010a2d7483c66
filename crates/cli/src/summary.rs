//! From a campaign's summary to the report of the contract.

use gabion_deepen::{Candidate, Finding, Racer, SpaceSummary, Status, Stop, Summary};
use gabion_report::{
    Bug, Choice, Estimate, Line, LineState, Minimised, Race, RaceOrder, RaceStatus, Report, SCHEMA, Scope, Sources,
    SpaceStatus, StateSpace, Verdict, bounded, related,
};
use gabion_search::Progress;
use gabion_trace::{Fewest, Frame, Minimisation, NamedChoice, NamedStep, Point, TraceFile};

/// The report. `traces` are the paths of the findings' files, in their order.
pub(crate) fn report(summary: &Summary, traces: &[Option<String>], sources: &Sources) -> Report {
    let elapsed = summary.elapsed.as_secs_f64();
    let searching = elapsed - summary.minimising.as_secs_f64();
    let Progress { runs: complete_runs, cut, blocked, abandoned, .. } = summary.progress;
    let runs = summary.progress.executed();
    let (races, races_total, races_untold) =
        bounded(summary.races.iter().map(|race| self::race(race, sources)).collect());
    let bugs = summary.findings.iter().zip(traces).map(|(f, trace)| bug(f, trace.clone(), sources)).collect();
    Report {
        schema: SCHEMA,
        verdict: verdict(summary.verdict),
        runs,
        complete_runs,
        blocked_runs: blocked,
        cut_runs: cut,
        abandoned_runs: abandoned,
        elapsed_s: (elapsed * 1e6).round() / 1e6,
        minimise_s: (summary.minimising.as_secs_f64() * 1e6).round() / 1e6,
        runs_per_s: (runs as f64 / searching.max(1e-6) * 10.0).round() / 10.0,
        estimate: estimate(summary),
        scope: Scope {
            preempt: shorten(&summary.preempt, sources),
            bound: summary.bound,
            completed_bound: summary.completed_bound,
            memory_model: "sc".into(),
            caveats: summary.caveats.clone(),
        },
        state_spaces: summary.spaces.iter().map(|space| state_space(space, summary, sources)).collect(),
        bugs,
        races,
        races_total,
        races_untold,
        lines: summary.lines.iter().map(|line| self::line(line, sources)).collect(),
        tests: Vec::new(),
        error: summary.error.as_deref().map(|error| sources.shorten(error)),
        unwritten: false,
    }
}

/// The size of everything, as far as is known.
fn estimate(summary: &Summary) -> Option<Estimate> {
    let (runs, factor) = summary.estimate?;
    let seconds = factor * summary.elapsed.as_secs_f64();
    Some(Estimate { runs: (runs * 10.0).round() / 10.0, seconds: (seconds * 1e3).round() / 1e3 })
}

fn bug(finding: &Finding, trace: Option<String>, sources: &Sources) -> Bug {
    let asked_for = finding.trace.minimisation.as_ref().filter(|small| small.allowed > 0);
    Bug {
        kind: finding.kind.name().into(),
        heuristic: finding.heuristic,
        message: sources.shorten(&finding.message),
        threads: finding.threads,
        preemptions: finding.preemptions,
        left_in_loops: finding.trace.left_in_loops.iter().map(|step| step + 1).collect(),
        steps: finding.steps,
        trace,
        location: finding.location.as_deref().map(|place| sources.name(place).to_string()),
        waiting: finding.trace.waiting.iter().map(|line| sources.shorten(line)).collect(),
        explanation: finding.trace.explanation.iter().map(|line| sources.shorten(line)).collect(),
        choices: choices(&finding.trace),
        shown: String::new(),
        related: related(&finding.trace, sources),
        minimised: asked_for.map(|small| minimised(small, &finding.trace)),
    }
}

fn choices(file: &TraceFile) -> Vec<Choice> {
    let of_step = |(index, step): (usize, &NamedStep)| {
        let thread = step.thread.to_string();
        let made = move |made: &NamedChoice| Choice {
            step: index + 1,
            thread: thread.clone(),
            value: made.value,
            of: made.of,
        };
        step.chosen.iter().map(made).collect::<Vec<_>>()
    };
    file.steps.iter().enumerate().flat_map(of_step).collect()
}

fn minimised(small: &Minimisation, file: &TraceFile) -> Minimised {
    let essential = small.switches.iter().filter(|switch| switch.role.is_essential());
    let found = small
        .original
        .as_ref()
        .map_or((file.preemptions, file.steps.len()), |original| (original.preemptions, original.steps.len()));
    Minimised {
        runs: small.runs,
        allowed: small.allowed,
        fewest: small.fewest == Fewest::Proven,
        fewest_switches: small.fewest_switches == Fewest::Proven,
        fewest_threads: small.fewest_threads == Fewest::Proven,
        assumed_waits: small.assumed,
        switches: file.switches(),
        found,
        essential: essential.map(|switch| switch.step + 1).collect(),
    }
}

fn line(line: &gabion_deepen::Line, sources: &Sources) -> Line {
    let name = |class: &Point| Point::NAMES.iter().find(|(_, point)| point == class).map(|(name, _)| name.to_string());
    let state = |state: &gabion_deepen::LineState| match state {
        gabion_deepen::LineState::Untested => LineState::Untested,
        gabion_deepen::LineState::Sealed => LineState::Sealed,
        gabion_deepen::LineState::Open => LineState::Open,
        gabion_deepen::LineState::Covered => LineState::Covered,
    };
    Line {
        at: sources.name(&line.place).to_string(),
        points: line.classes.iter().filter_map(name).collect(),
        states: line.states.iter().map(state).collect(),
    }
}

fn race(race: &Candidate, sources: &Sources) -> Race {
    let [first, second] = &race.racers;
    let place = |racer: &Racer| sources.name(&racer.location()).to_string();
    let words = |racer: &Racer| sources.shorten(&racer.words());
    Race {
        first: place(first),
        second: place(second),
        order: if race.both_orders { RaceOrder::Both } else { RaceOrder::Single },
        status: match race.status {
            gabion_deepen::RaceStatus::Buggy => RaceStatus::Buggy,
            gabion_deepen::RaceStatus::Benign => RaceStatus::Benign,
            gabion_deepen::RaceStatus::False => RaceStatus::False,
            gabion_deepen::RaceStatus::Untested => RaceStatus::Untested,
            gabion_deepen::RaceStatus::Realloc => RaceStatus::Realloc,
        },
        object: sources.shorten(&race.object),
        accesses: [words(first), words(second)],
        stacks: [stack(first, sources), stack(second, sources)],
        first_run: race.first_run,
        takes_part: race.takes_part,
        would_order: race.would_order.as_deref().map(|orders| sources.shorten(orders)),
    }
}

/// The frames whose lines are known.
fn stack(racer: &Racer, sources: &Sources) -> Vec<String> {
    let words = |frame: &Frame| {
        let place = format!("{}:{}", sources.name(frame.file.as_deref()?), frame.line?);
        Some(frame.function.as_ref().map_or_else(|| place.clone(), |function| format!("{place} in {function}")))
    };
    racer.stack.iter().filter_map(words).collect()
}

fn verdict(verdict: gabion_deepen::Verdict) -> Verdict {
    match verdict {
        gabion_deepen::Verdict::Verified => Verdict::Verified,
        gabion_deepen::Verdict::Complete => Verdict::Complete,
        gabion_deepen::Verdict::Bug => Verdict::Bug,
        gabion_deepen::Verdict::Partial => Verdict::Partial,
        gabion_deepen::Verdict::Error => Verdict::Error,
    }
}

fn shorten(points: &[String], sources: &Sources) -> Vec<String> {
    points.iter().map(|point| sources.shorten(point)).collect()
}

fn state_space(space: &SpaceSummary, summary: &Summary, sources: &Sources) -> StateSpace {
    StateSpace {
        preempt: shorten(&space.preempt, sources),
        status: match space.status {
            Status::Complete => SpaceStatus::Complete,
            Status::Bug => SpaceStatus::Bug,
            Status::Running if summary.stop == Stop::Failed => SpaceStatus::Cancelled,
            Status::Running | Status::Suspended | Status::Cut | Status::Dropped => SpaceStatus::Suspended,
            Status::Cancelled | Status::Superseded => SpaceStatus::Cancelled,
            Status::Pending => SpaceStatus::Pending,
        },
        by_bound: space.by_bound,
        completed_bound: space.completed_bound,
        largest: space.largest,
        covered_by: space.covered_by,
        doublings: space.doublings,
        runs: space.runs,
        estimate: space.estimate,
    }
}
