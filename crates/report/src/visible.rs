//! Text of the program under test as it can be shown anywhere: what would colour a terminal, move its cursor, turn the direction of
//! text, end a line unseen or make XML invalid is written out.

use crate::paint;
use gabion_trace::{NamedAccess, NamedStep, TraceFile};

/// The text with every control character written out (`\x1b`), but for ends of lines and tabs, and every character that nobody sees
/// and that changes how the others are shown (`\u{202e}`).
pub fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    text.chars().for_each(|c| write_out(c, &mut out));
    out
}

/// The same for text that is ready for a terminal: colours of ours stay.
pub fn printable(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let length = match paint::code_at(rest) {
            Some(code) => {
                out.push_str(code);
                code.len()
            }
            None => {
                write_out(c, &mut out);
                c.len_utf8()
            }
        };
        rest = &rest[length..];
    }
    out
}

/// JSON in which such characters, which can only stand in its strings, are written as JSON has it: a reader gets them back.
pub(crate) fn in_json(json: String) -> String {
    if !json.chars().any(|c| c != '\n' && (c.is_control() || misleads(c))) {
        return json;
    }
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            c if c != '\n' && (c.is_control() || misleads(c)) => {
                c.encode_utf16(&mut [0; 2]).iter().for_each(|unit| out.push_str(&format!("\\u{unit:04x}")));
            }
            c => out.push(c),
        }
    }
    out
}

fn write_out(c: char, out: &mut String) {
    match c {
        '\n' | '\t' => out.push(c),
        '\r' => out.push_str("\\r"),
        c if c.is_control() => out.push_str(&format!("\\x{:02x}", u32::from(c))),
        c if misleads(c) => out.push_str(&format!("\\u{{{:x}}}", u32::from(c))),
        c => out.push(c),
    }
}

/// Characters that are not seen themselves: marks, embeddings and isolates of direction, separators of lines and paragraphs, fillers of
/// no width, tags. (Joiners, which scripts and emoji need, are none.)
fn misleads(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
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
    use super::{in_json, printable, visible};

    #[test]
    fn nothing_is_left_that_a_terminal_obeys() {
        assert_eq!(visible("a\x1b[31mb\x01\x7f\u{9b}c\r\n\td"), "a\\x1b[31mb\\x01\\x7f\\x9bc\\r\n\td");
        assert_eq!(visible("plain ü"), "plain ü");
    }

    /// One of each kind, by its number.
    const BAD: [u32; 26] = [
        0x00, 0x07, 0x08, 0x0d, 0x1b, 0x7f, 0x80, 0x85, 0x9b, 0xad, 0x61c, 0x200b, 0x200e, 0x200f, 0x2028, 0x2029,
        0x202a, 0x202d, 0x202e, 0x2060, 0x2066, 0x2067, 0x2069, 0xfeff, 0xe0041, 0xe007f,
    ];

    #[test]
    fn what_misleads_is_written_out() {
        for number in BAD {
            let c = char::from_u32(number).expect("a character");
            for shown in [visible(&format!("a{c}b")), printable(&format!("a{c}b"))] {
                assert!(
                    !shown.contains(c) && shown.starts_with("a\\") && shown.ends_with('b'),
                    "{number:#x}: {shown:?}"
                );
            }
            let json = in_json(serde_json::to_string(&format!("a{c}b")).expect("JSON"));
            assert!(!json.contains(c), "{number:#x}: {json:?}");
            assert_eq!(serde_json::from_str::<String>(&json).expect("still JSON"), format!("a{c}b"));
        }
        let innocent = "naïve 漢字 שלום \u{200d}👩\u{200d}👧 –\u{a0}\tx\n";
        assert_eq!(visible(innocent), innocent);
        assert_eq!(in_json(innocent.to_owned()), innocent.replace('\t', "\\u0009"));
    }

    #[test]
    fn only_colours_of_ours_reach_a_terminal() {
        use crate::paint::{Colour, Ink};
        for ink in [Ink::Good, Ink::Bad, Ink::Warning, Ink::Heading, Ink::Faint] {
            let painted = Colour::On.paint(ink, "text");
            assert_eq!(printable(&painted), painted);
        }
        assert_eq!(printable("\u{1b}[2Jx\u{1b}[31m\u{1b}"), "\\x1b[2Jx\\x1b[31m\\x1b");
    }
}
