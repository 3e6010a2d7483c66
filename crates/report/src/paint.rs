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

impl Colour {
    pub(crate) fn paint(self, ink: Ink, text: &str) -> String {
        if self == Colour::Off || text.trim().is_empty() {
            return text.to_string();
        }
        let code = match ink {
            Ink::Good => "1;32",
            Ink::Bad => "1;31",
            Ink::Warning => "1;33",
            Ink::Heading => "1",
            Ink::Faint => "2",
        };
        format!("\x1b[{code}m{text}\x1b[0m")
    }
}
