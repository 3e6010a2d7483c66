//! A report in one line: the verdict, and what must be known with it.

use crate::text::{counted, cut, seconds};
use crate::{Report, Verdict};
use crate::{races, spaces};
use gabion_trace::{Caveat, CaveatKind};

/// Letters of a caveat's place that are shown.
const PLACE: usize = 60;

/// Where the rest is, for those who read it in a terminal.
const REST: &str = " (-v)";

/// The report in one line, for a terminal.
pub fn in_short(report: &Report) -> String {
    with_hint(report, REST)
}

/// The same for those who read it elsewhere and have no options to choose.
pub(crate) fn in_a_file(report: &Report) -> String {
    with_hint(report, "")
}

fn with_hint(report: &Report, rest: &str) -> String {
    let runs = format!("{} in {}", counted(report.runs, "run"), seconds(report.elapsed_s));
    match (&report.error, report.verdict) {
        (Some(error), _) => format!("error: {error}"),
        (None, Verdict::Bug) => format!("BUG, {runs}"),
        (None, verdict) => format!("{}, {runs}{}", verdict.name(), proviso(report, rest)),
    }
}

/// What a verdict that is no bug does not say: why it is less than *verified*, and that there are data races. `rest` says
/// where more is told.
pub(crate) fn proviso(report: &Report, rest: &str) -> String {
    let reason = match report.verdict {
        Verdict::Complete => limits(report, rest),
        Verdict::Partial if spaces::is_unseen(report) => limits(report, rest),
        Verdict::Partial => Some(covered(report)),
        _ => None,
    };
    let reason = reason.map_or(String::new(), |reason| format!(": {reason}"));
    match races::number(report) {
        0 => reason,
        number => format!("{reason}; {} told{rest}", counted(number, "data race")),
    }
}

/// Why something is left out: the first reason, and how many there are beside it.
fn limits(report: &Report, rest: &str) -> Option<String> {
    let mut limiting = report.scope.caveats.iter().filter(|caveat| caveat.kind.limits());
    let first = few_words(limiting.next()?);
    Some(match limiting.count() {
        0 => first,
        more => format!("{first}, and {more} more{rest}"),
    })
}

/// How much of everything was run, as far as that is known: runs made by runs that there are thought to be.
fn covered(report: &Report) -> String {
    if report.complete_runs == 0 {
        return "no run has come to its end".into();
    }
    let made = report.runs as f64;
    let Some(all) = report.estimate.as_ref().map(|estimate| estimate.runs).filter(|all| *all >= made) else {
        return "how much is left is not known".into();
    };
    match 100.0 * made / all {
        // What is estimated grows while a search goes on, so this says little about what is left.
        part if part >= 50.0 => "most of the estimated runs made, and estimates grow".into(),
        part if part >= 1.0 => format!("about {part:.0} % of the estimated runs made"),
        _ => "less than 1 % of the estimated runs made".into(),
    }
}

/// A caveat in a few words.
fn few_words(caveat: &Caveat) -> String {
    use CaveatKind::*;
    let what = match caveat.kind {
        UninstrumentedObject | UninstrumentedLibrary | UninstrumentedFunction => "code without instrumentation",
        UnknownStandardLibrary => "an unknown standard library",
        InlineAssembly => "inline assembly",
        UnmodelledCall => "calls that are not modelled",
        UnmodelledSystemCall => "a system call that is not modelled",
        FaultHandler => "a handler of a fault made in one step",
        WholeCopies => "copies made in one step",
        OutsideState => "state outside of the program",
        FewerPoints => "threads switched only at some points",
        Bound => "a bound",
        Cut => "runs cut off",
        MemoryLimit => "out of memory",
        Sealed => "points sealed off",
        Trusted => "accesses trusted",
        Allowed => "findings that are allowed",
        AssumedWait => "a loop taken to wait",
        CoarseTime => "virtual time too coarse",
        MemoryModel => "weaker memory orders",
        ToldRaces | IgnoredRaces => "data races",
        TrustedLibrary => "a trusted library",
        SpuriousWakeups => "no spurious wake-ups",
        AddressReuse => "no addresses reused",
        VirtualTime => "virtual time",
        LockHeldAtEnd => "a lock held at the end",
    };
    if caveat.place.is_empty() {
        what.into()
    } else {
        let place = match caveat.kind {
            UninstrumentedObject | UninstrumentedLibrary => file_name(&caveat.place),
            _ => without_registry(&caveat.place),
        };
        format!("{what} ({})", cut(&place, PLACE))
    }
}

/// A file by its name alone, with the member of an archive: `libz.a(adler.o)`. The directories that cargo builds in take the whole line.
fn file_name(place: &str) -> String {
    let (file, member) = match place.rfind('(') {
        Some(at) if place.ends_with(')') => place.split_at(at),
        _ => (place, ""),
    };
    file.rsplit('/').next().unwrap_or_default().to_string() + member
}

/// A text in which files of published crates begin with the crate: where cargo keeps those takes the whole line, and says nothing.
fn without_registry(text: &str) -> String {
    const REGISTRY: &str = "/registry/src/";
    let shortened = |word: &str| -> Option<String> {
        let (before, inside) = word.split_once(REGISTRY)?;
        let (_, path) = inside.split_once('/')?;
        let opening: String = before.chars().take_while(|c| !"/~.".contains(*c) && !c.is_alphanumeric()).collect();
        Some(opening + path)
    };
    text.split(' ').map(|word| shortened(word).unwrap_or_else(|| word.to_string())).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Estimate, Race, RaceOrder, RaceStatus};

    fn report(verdict: Verdict) -> Report {
        Report { verdict, runs: 4, complete_runs: 4, elapsed_s: 0.5, error: None, ..Report::of_error("") }
    }

    fn race(status: RaceStatus) -> Race {
        let place = || "a.rs:6".to_string();
        Race {
            first: place(),
            second: place(),
            order: RaceOrder::Both,
            status,
            object: "R".into(),
            accesses: [place(), place()],
            stacks: [Vec::new(), Vec::new()],
            first_run: true,
            would_order: None,
            takes_part: false,
        }
    }

    #[test]
    fn files_of_published_crates_begin_with_the_crate() {
        let place = "/home/someone/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/parking_lot_core-0.9.12/src/spinwait.rs:59";
        let wait = Caveat::new(CaveatKind::AssumedWait, place);
        assert_eq!(few_words(&wait), "a loop taken to wait (parking_lot_core-0.9.12/src/spinwait.rs:59)");
        let both = format!("a.rs:1, ({place})");
        assert_eq!(without_registry(&both), "a.rs:1, (parking_lot_core-0.9.12/src/spinwait.rs:59)");
        let long = Caveat::new(CaveatKind::AssumedWait, "x".repeat(80));
        assert_eq!(few_words(&long), format!("a loop taken to wait ({}...)", "x".repeat(57)));
    }

    #[test]
    fn files_that_were_linked_in_are_told_by_their_names() {
        let check = |kind, place: &str, shown: &str| {
            assert_eq!(few_words(&Caveat::new(kind, place)), format!("code without instrumentation ({shown})"));
        };
        let built = "/home/someone/crate/target/gabion/std-1d5c0a/x86_64-unknown-linux-gnu/debug/build/z-5a1c/out";
        check(CaveatKind::UninstrumentedObject, &format!("{built}/libz.a(1f-z.o)"), "libz.a(1f-z.o)");
        check(CaveatKind::UninstrumentedObject, &format!("{built}/z.o"), "z.o");
        check(CaveatKind::UninstrumentedObject, "(old)/z.o", "z.o");
        check(CaveatKind::UninstrumentedObject, "an assembly file", "an assembly file");
        check(CaveatKind::UninstrumentedLibrary, &format!("{built}/libz.so.1"), "libz.so.1");
    }

    #[test]
    fn races_are_told_with_the_verdict() {
        let verified = report(Verdict::Verified);
        assert_eq!(in_short(&verified), "verified, 4 runs in 0.50 s");
        let raced = Report { races: vec![race(RaceStatus::Benign)], ..verified.clone() };
        assert_eq!(in_short(&raced), "verified, 4 runs in 0.50 s; 1 data race told (-v)");
        let none = Report { races: vec![race(RaceStatus::False)], ..verified };
        assert_eq!(in_short(&none), "verified, 4 runs in 0.50 s");
    }

    #[test]
    fn complete_says_why() {
        let mut complete = report(Verdict::Complete);
        complete.scope.caveats.push(Caveat::new(CaveatKind::VirtualTime, "sleep"));
        complete.scope.caveats.push(Caveat::new(CaveatKind::AssumedWait, "a.rs:7"));
        assert_eq!(in_short(&complete), "complete, 4 runs in 0.50 s: a loop taken to wait (a.rs:7)");
        complete.scope.caveats.push(Caveat::new(CaveatKind::Bound, "2"));
        assert!(in_short(&complete).ends_with("(a.rs:7), and 1 more (-v)"), "{}", in_short(&complete));
    }

    #[test]
    fn partial_says_how_much() {
        let check = |complete_runs, all: Option<f64>, ends: &str| {
            let estimate = all.map(|runs| Estimate { runs, seconds: 1.0 });
            let blocked_runs = 1;
            let runs = complete_runs + blocked_runs;
            let line = in_short(&Report { runs, complete_runs, blocked_runs, estimate, ..report(Verdict::Partial) });
            assert!(line.ends_with(ends), "{line}");
        };
        check(4, Some(167.0), "5 runs in 0.50 s: about 3 % of the estimated runs made");
        check(4, Some(1e9), "less than 1 % of the estimated runs made");
        check(4, Some(5.0), "most of the estimated runs made, and estimates grow");
        check(4, Some(3.0), "how much is left is not known");
        check(4, None, "how much is left is not known");
        check(0, None, "no run has come to its end");
    }
}
