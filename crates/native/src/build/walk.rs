//! One walk over the assembly of a function, for all who look at it line by line.
//!
//! The walk knows which spelling is in force, which labels control can arrive at, and where inline assembly begins and
//! ends. With a [`Frame`] it also knows what registers hold in the straight line from the last label.

use super::assembly::{Instruction, Statement, Syntax, statements};
use super::frame::Frame;

/// What stands in the text.
#[derive(Debug)]
pub(super) enum Event<'t> {
    /// Any label; see [`is_debug_label`].
    Label(&'t str),
    /// Inline assembly begins.
    Inline,
    Instruction(Instruction<'t>),
    /// An instruction that the programmer wrote.
    Written(Instruction<'t>),
}

/// Tells of everything in order, by the number of its line.
pub(super) fn walk<'t>(lines: &[&'t str], mut syntax: Syntax, mut visit: impl FnMut(usize, Event<'t>)) {
    let mut inline = false;
    for (number, line) in lines.iter().enumerate() {
        match line.trim() {
            "#APP" => {
                inline = true;
                visit(number, Event::Inline);
            }
            "#NO_APP" => inline = false,
            _ => {}
        }
        for statement in statements(line, syntax) {
            match statement {
                Statement::Label(name) => visit(number, Event::Label(name)),
                Statement::Directive(name, _) => syntax = switched(syntax, name),
                Statement::Instruction(instruction) if inline => visit(number, Event::Written(instruction)),
                Statement::Instruction(instruction) => visit(number, Event::Instruction(instruction)),
            }
        }
    }
}

/// The same with what is known before each event; what came before a label is forgotten there. Labels of debug
/// information are left out. The frame's `taken` and `spilled` are those of the whole function from the start.
pub(super) fn walk_frame<'t>(lines: &[&'t str], syntax: Syntax, mut visit: impl FnMut(usize, &Event<'t>, &Frame)) {
    let mut whole = Frame::new();
    walk(lines, syntax, |_, event| match event {
        Event::Label(name) if !is_debug_label(name) => whole.label(name),
        Event::Label(_) | Event::Inline => {}
        Event::Instruction(instruction) | Event::Written(instruction) => whole.step(&instruction),
    });
    let mut frame = Frame::new();
    (frame.taken, frame.spilled) = (whole.taken, whole.spilled);
    walk(lines, syntax, |number, event| {
        if let Event::Label(name) = event {
            if is_debug_label(name) {
                return;
            }
            frame.label(name);
            frame.forget();
        }
        visit(number, &event, &frame);
        if let Event::Instruction(instruction) | Event::Written(instruction) = &event {
            frame.step(instruction);
        }
    });
}

/// The other spelling, if that directive asks for it.
pub(super) fn switched(syntax: Syntax, directive: &str) -> Syntax {
    match directive {
        ".intel_syntax" => Syntax::Intel,
        ".att_syntax" => Syntax::Att,
        _ => syntax,
    }
}

/// Labels that only debug information refers to; control does not arrive there, except by an exception.
pub(super) fn is_debug_label(name: &str) -> bool {
    [".LVL", ".LBB", ".LBE", ".LBI", ".LFB", ".LFE", ".Ltmp", ".LFSB", ".LCOLDB", ".LHOTB"].iter().any(|start| {
        // clang's .LBB1_2 is a real one, gcc's .LBB12 is not.
        name.strip_prefix(start).is_some_and(|rest| !rest.contains('_'))
    })
}
