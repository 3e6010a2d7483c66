//! Text of the program under test as it can be shown anywhere: what would colour a terminal, move its cursor or make XML invalid is
//! written out.

use gabion_trace::{NamedAccess, NamedStep, TraceFile};

/// The text with every control character written out (`\x1b`), but for ends of lines and tabs.
pub fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\t' => out.push(c),
            '\r' => out.push_str("\\r"),
            c if c.is_control() => out.push_str(&format!("\\x{:02x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out
}

/// A file with all its words made visible.
pub(crate) fn made_visible(file: &TraceFile) -> TraceFile {
    let mut file = file.clone();
    let lists = [&mut file.explanation, &mut file.waiting, &mut file.threads];
    let texts = lists.into_iter().flatten().chain([&mut file.message, &mut file.output]);
    let witnesses = file.witnesses.iter_mut().map(|witness| &mut witness.what);
    let waits = file.blocked.iter_mut().map(|wait| &mut wait.what);
    texts.chain(witnesses).chain(waits).for_each(|text| *text = visible(text));
    let mut minimisation = file.minimisation.as_mut();
    let others = minimisation.iter_mut().flat_map(|small| {
        let passing = small.passing.as_mut().map(|passing| &mut passing.run);
        small.original.iter_mut().chain(passing).flat_map(|run| &mut run.steps)
    });
    file.steps.iter_mut().chain(others).for_each(make_visible);
    file
}

fn make_visible(step: &mut NamedStep) {
    step.what = visible(&step.what);
    for NamedAccess { object, before, after, .. } in &mut step.accesses {
        [Some(object), before.as_mut(), after.as_mut()].into_iter().flatten().for_each(|text| *text = visible(text));
    }
}

#[cfg(test)]
mod tests {
    use super::visible;

    #[test]
    fn nothing_is_left_that_a_terminal_obeys() {
        assert_eq!(visible("a\x1b[31mb\x01\x7f\u{9b}c\r\n\td"), "a\\x1b[31mb\\x01\\x7f\\x9bc\\r\n\td");
        assert_eq!(visible("plain ü"), "plain ü");
    }
}
