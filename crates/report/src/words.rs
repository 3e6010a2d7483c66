//! Words that several outputs share: caveats, and why there is nothing to show.

use gabion_trace::{Caveat, CaveatKind};

/// Why there is no interleaving to show.
pub(crate) const NO_STEPS: &str =
    "No steps were recorded: the program failed before it created a thread, or the run was too long.";

/// A caveat as a sentence.
pub fn caveat_words(caveat: &Caveat) -> String {
    use CaveatKind::*;
    let place = &caveat.place;
    match caveat.kind {
        UninstrumentedObject => {
            format!("code without instrumentation was linked in, and what it does is not seen: {place}")
        }
        UninstrumentedLibrary => {
            format!("a library without instrumentation is used, and what it does is not seen: {place}")
        }
        UninstrumentedFunction => format!("accesses without instrumentation: {place}"),
        UnknownStandardLibrary => format!(
            "the Rust standard library in the program is not as gabion knows it, so a wait in it may be modelled wrongly: {place}"
        ),
        InlineAssembly => format!("inline assembly touches memory unseen: {place}"),
        UnmodelledCall => format!(
            "library functions are called that gabion does not model, and what threads do to each other in them is not seen: {place}"
        ),
        UnmodelledSystemCall => format!("a system call was made that gabion does not model: {place}"),
        FaultHandler => {
            format!("a handler of the program's own for a fault is one step, in which no other thread comes: {place}")
        }
        WholeCopies => {
            format!("copies and library calls are made in one step, which hardware does in several: {place}")
        }
        OutsideState => format!("the program changes what no reset undoes between runs: {place}"),
        FewerPoints => format!("threads were switched only at some points: {place}"),
        Bound => format!("runs were left out by a bound: {place}"),
        Cut => format!("part of the search was cut off: {place}"),
        MemoryLimit => format!("memory ran out: {place}"),
        Sealed => format!("points were sealed off: {place}"),
        Trusted => format!("accesses were left out by option: {place}"),
        ToldRaces => format!(
            "a data race is undefined behaviour in Rust, and yet no bug here: the standard library came prebuilt ({place}), and what it orders inside is taken from a model (--races deny makes it one)"
        ),
        Allowed => format!("findings that are no bugs by option: {place}"),
        IgnoredRaces => format!("races were left out by option: {place}"),
        AssumedWait => {
            format!(
                "a loop was taken to wait for another thread, because it went round without progress; \
                 interleavings within its later rounds were not run (--assume-waits accepts that), and that it goes round for ever \
                 (a livelock) is not ruled out: {place}"
            )
        }
        CoarseTime => format!("virtual time orders more than it should: {place}"),
        MemoryModel => format!("memory is sequentially consistent here; weaker orders were run as such: {place}"),
        TrustedLibrary => format!("trusted: {place}"),
        SpuriousWakeups => format!("waits do not end without a signal: {place}"),
        AddressReuse => format!("addresses are not reused: {place}"),
        LockHeldAtEnd => format!("a thread ended with a lock held: {place}"),
        VirtualTime => format!("time is virtual: {place}"),
    }
}

/// What a message says of the failure itself, and who else took part: they have places of their own.
pub fn without_others(message: &str) -> (&str, &str) {
    let deeds = ["allocated", "freed", "created", "locked"].iter();
    let first = deeds.filter_map(|deed| message.find(&format!("; {deed} by "))).min();
    message.split_at(first.unwrap_or(message.len()))
}

#[cfg(test)]
mod tests {
    use super::{caveat_words, without_others};
    use gabion_trace::{Caveat, CaveatKind};

    #[test]
    fn a_loop_that_was_taken_to_wait_may_be_a_livelock() {
        let words = caveat_words(&Caveat::new(CaveatKind::AssumedWait, "a.c:7"));
        assert!(words.contains("a livelock") && words.ends_with("is not ruled out: a.c:7"), "{words}");
    }

    #[test]
    fn a_failure_and_who_else_took_part() {
        let check = |own: &str, others: &str| assert_eq!(without_others(&format!("{own}{others}")), (own, others));
        check("a read of 4 bytes", "; allocated by T0 (main) at a.c:9; freed by T1 (worker) at a.c:5");
        check("a mutex is unlocked that T1 holds", "; locked by T1 (worker) at a.c:5");
        check("Assertion `a; b' failed", "");
    }
}
