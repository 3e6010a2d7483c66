//! Colour, or none. Text is composed without it and painted last, so that widths are right.

/// Whether to use colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colour {
    /// Never: files, pipes, `NO_COLOR`.
    Off,
    /// A terminal.
    On,
}

/// What a piece of text is.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Ink {
    Good,
    Bad,
    Warning,
    Heading,
    Faint,
}

const PLAIN: &str = "\x1b[0m";

impl Ink {
    const ALL: [Ink; 5] = [Ink::Good, Ink::Bad, Ink::Warning, Ink::Heading, Ink::Faint];

    fn code(self) -> &'static str {
        match self {
            Ink::Good => "\x1b[1;32m",
            Ink::Bad => "\x1b[1;31m",
            Ink::Warning => "\x1b[1;33m",
            Ink::Heading => "\x1b[1m",
            Ink::Faint => "\x1b[2m",
        }
    }
}

/// The code that begins here, if [`Colour::paint`] writes it.
pub(crate) fn code_at(text: &str) -> Option<&'static str> {
    let mut codes = Ink::ALL.into_iter().map(Ink::code).chain([PLAIN]);
    text.starts_with('\x1b').then(|| codes.find(|code| text.starts_with(code))).flatten()
}

impl Colour {
    pub(crate) fn paint(self, ink: Ink, text: &str) -> String {
        if self == Colour::Off || text.trim().is_empty() {
            return text.to_string();
        }
        format!("{}{text}{PLAIN}", ink.code())
    }
}
