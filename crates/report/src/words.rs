//! Caveats in words.

use gabion_trace::{Caveat, CaveatKind};

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
        WholeCopies => {
            format!("copies of more than eight bytes are made in one step, which hardware does in several: {place}")
        }
        OutsideState => format!("the program changes what no reset undoes between runs: {place}"),
        FewerPoints => format!("threads were switched only at some points: {place}"),
        Bound => format!("runs were left out by a bound: {place}"),
        Cut => format!("part of the search was cut off: {place}"),
        MemoryLimit => format!("memory ran out: {place}"),
        Sealed => format!("points were sealed off by option: {place}"),
        Trusted => format!("accesses were left out by option: {place}"),
        ToldRaces => format!(
            "a data race is undefined behaviour in Rust, and yet no bug here: the standard library came prebuilt, and what it orders inside is taken from a model ({place})"
        ),
        IgnoredRaces => format!("races were left out by option: {place}"),
        AssumedWait => {
            format!("a loop was taken to wait for another thread, because it went round without progress: {place}")
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
