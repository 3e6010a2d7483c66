//! Format strings of `printf` and `scanf`, and variable arguments.

use super::plain;

/// `va_list`: where the next variable arguments are.
// ABI: System V x86-64, 3.5.7
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Arguments {
    pub general: u32,
    pub float: u32,
    pub memory: u64,
    pub saved: u64,
}

impl Arguments {
    /// A copy of the one that a `v…` function was given.
    pub fn at(list: u64) -> Self {
        // SAFETY: the program's `va_list`.
        unsafe { *(list as *const Arguments) }
    }
    /// The next whole number or pointer.
    pub fn word(&mut self) -> u64 {
        let from = if self.general < 48 {
            self.general += 8;
            self.saved + u64::from(self.general) - 8
        } else {
            self.memory += 8;
            self.memory - 8
        };
        // SAFETY: where the ABI has the argument.
        unsafe { *(from as *const u64) }
    }
    fn skip(&mut self, class: Class) -> u64 {
        match class {
            Class::Word => return self.word(),
            Class::Double if self.float < 176 => self.float += 16,
            Class::Double => self.memory += 8,
            Class::LongDouble => self.memory = ((self.memory + 15) & !15) + 16,
        }
        0
    }
}

/// How an argument is passed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Class {
    Word,
    Double,
    LongDouble,
}

/// What a conversion does with the memory its argument points to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Use {
    /// It is a plain value.
    Value,
    /// Reads a string.
    Text,
    /// Reads a string of wide characters.
    WideText,
    /// Writes a number of this many bytes (`%n`, and most of `scanf`).
    Number(u8),
    /// `scanf`: writes a string with its zero.
    Store,
    /// `scanf`: writes wide characters with a zero.
    WideStore,
    /// `scanf`: writes as many characters of this size as the width says.
    Characters(u8),
    /// `scanf`: `%n`, which does not count as an assignment.
    Count(u8),
}

/// A width or precision.
#[derive(Clone, Copy)]
enum Amount {
    None,
    Given(u64),
    /// Taken from this argument.
    From(usize),
}

/// One conversion.
#[derive(Clone, Copy)]
struct Conversion {
    argument: usize,
    what: Use,
    amount: Amount,
}

/// Conversions and arguments that are looked at; the rest of a longer format is not.
const MANY: usize = 64;

/// A format string, understood.
pub struct Format {
    classes: [Class; MANY],
    arguments: usize,
    conversions: [Conversion; MANY],
    count: usize,
    next: usize,
    /// Bytes of the string without its zero.
    pub length: usize,
}

struct Reader {
    text: *const u8,
    at: usize,
}

impl Reader {
    fn peek(&self) -> u8 {
        // SAFETY: never beyond the zero.
        unsafe { *self.text.add(self.at) }
    }
    fn number(&mut self) -> Option<u64> {
        let mut value = None;
        while self.peek().is_ascii_digit() {
            value = Some(value.unwrap_or(0u64).saturating_mul(10).saturating_add(u64::from(self.peek() - b'0')));
            self.at += 1;
        }
        value
    }
    /// `n$`.
    fn position(&mut self) -> Option<usize> {
        let start = self.at;
        match self.number() {
            Some(n @ 1..) if self.peek() == b'$' => {
                self.at += 1;
                Some(n as usize - 1)
            }
            _ => {
                self.at = start;
                None
            }
        }
    }
    /// Length modifier: bytes of a whole number, and whether it is `L`.
    fn size(&mut self) -> (u8, bool) {
        let (mut bytes, mut long) = (4, false);
        loop {
            match self.peek() {
                b'h' => bytes /= 2,
                b'l' | b'j' | b'z' | b't' | b'Z' => bytes = 8,
                b'q' | b'L' => (bytes, long) = (8, true),
                _ => return (bytes.max(1), long),
            }
            self.at += 1;
        }
    }
}

impl Format {
    fn new(text: u64) -> (Format, Reader) {
        let none = Conversion { argument: 0, what: Use::Value, amount: Amount::None };
        let format = Format {
            classes: [Class::Word; MANY],
            arguments: 0,
            conversions: [none; MANY],
            count: 0,
            next: 0,
            length: plain::length(text as *const u8),
        };
        (format, Reader { text: text as *const u8, at: 0 })
    }

    /// Takes the argument at a position, or the next one.
    fn take(&mut self, position: Option<usize>, class: Class) -> usize {
        let i = position.unwrap_or_else(|| {
            self.next += 1;
            self.next - 1
        });
        if i < MANY {
            self.classes[i] = class;
            self.arguments = self.arguments.max(i + 1);
        }
        i
    }

    fn add(&mut self, argument: usize, what: Use, amount: Amount) {
        if self.count < MANY && argument < MANY {
            self.conversions[self.count] = Conversion { argument, what, amount };
            self.count += 1;
        }
    }

    /// Understands a format of `printf`.
    pub fn output(text: u64) -> Format {
        let (mut format, mut r) = Format::new(text);
        while r.peek() != 0 {
            r.at += 1;
            // SAFETY: the byte just passed.
            if unsafe { *r.text.add(r.at - 1) } == b'%' {
                format.output_conversion(&mut r);
            }
        }
        format
    }

    fn output_conversion(&mut self, r: &mut Reader) {
        let position = r.position();
        while matches!(r.peek(), b'#' | b'0' | b'-' | b' ' | b'+' | b'\'' | b'I') {
            r.at += 1;
        }
        self.amount(r);
        let mut precision = Amount::None;
        if r.peek() == b'.' {
            r.at += 1;
            precision = self.amount(r);
            if let Amount::None = precision {
                precision = Amount::Given(0);
            }
        }
        let (bytes, long) = r.size();
        let kind = r.peek();
        let (class, what) = match kind {
            0 => return,
            b'%' | b'm' => {
                r.at += 1;
                return;
            }
            b'a' | b'A' | b'e' | b'E' | b'f' | b'F' | b'g' | b'G' => {
                (if long { Class::LongDouble } else { Class::Double }, Use::Value)
            }
            b's' if bytes == 8 => (Class::Word, Use::WideText),
            b'S' => (Class::Word, Use::WideText),
            b's' => (Class::Word, Use::Text),
            b'n' => (Class::Word, Use::Number(bytes)),
            _ => (Class::Word, Use::Value),
        };
        r.at += 1;
        let argument = self.take(position, class);
        self.add(argument, what, precision);
    }

    /// A width or precision: digits, or a star.
    fn amount(&mut self, r: &mut Reader) -> Amount {
        if r.peek() == b'*' {
            r.at += 1;
            let position = r.position();
            return Amount::From(self.take(position, Class::Word));
        }
        r.number().map_or(Amount::None, Amount::Given)
    }

    /// Understands a format of `scanf`.
    pub fn input(text: u64) -> Format {
        let (mut format, mut r) = Format::new(text);
        while r.peek() != 0 {
            r.at += 1;
            // SAFETY: the byte just passed.
            if unsafe { *r.text.add(r.at - 1) } == b'%' {
                format.input_conversion(&mut r);
            }
        }
        format
    }

    fn input_conversion(&mut self, r: &mut Reader) {
        let position = r.position();
        let (mut dropped, mut allocated) = (false, false);
        while matches!(r.peek(), b'*' | b'\'' | b'I') {
            dropped |= r.peek() == b'*';
            r.at += 1;
        }
        let width = r.number().unwrap_or(1);
        if r.peek() == b'm' {
            allocated = true;
            r.at += 1;
        }
        let (bytes, long) = r.size();
        let kind = r.peek();
        if kind == 0 {
            return;
        }
        r.at += 1;
        let what = match kind {
            b'%' => return,
            _ if allocated => Use::Number(8),
            b'd' | b'i' | b'o' | b'u' | b'x' | b'X' => Use::Number(bytes),
            b'a' | b'A' | b'e' | b'E' | b'f' | b'F' | b'g' | b'G' => Use::Number(if long { 16 } else { bytes }),
            b'p' => Use::Number(8),
            b'n' => Use::Count(bytes),
            b'c' if bytes == 8 => Use::Characters(4),
            b'C' => Use::Characters(4),
            b'c' => Use::Characters(1),
            b's' if bytes == 8 => Use::WideStore,
            b'S' => Use::WideStore,
            b's' => Use::Store,
            b'[' => {
                skip_set(r);
                if bytes == 8 { Use::WideStore } else { Use::Store }
            }
            _ => return,
        };
        if !dropped {
            let argument = self.take(position, Class::Word);
            self.add(argument, what, Amount::Given(width));
        }
    }

    /// Calls `each` with what every conversion uses, the argument, and its width or precision (the largest number, if
    /// none is given).
    pub fn each(&self, mut arguments: Arguments, mut each: impl FnMut(Use, u64, u64)) {
        let mut values = [0u64; MANY];
        for (value, class) in values.iter_mut().zip(self.classes).take(self.arguments) {
            *value = arguments.skip(class);
        }
        for conversion in &self.conversions[..self.count] {
            let amount = match conversion.amount {
                Amount::None => u64::MAX,
                Amount::Given(n) => n,
                Amount::From(i) if i < MANY && (values[i] as i32) >= 0 => u64::from(values[i] as u32),
                Amount::From(_) => u64::MAX, // a negative precision counts as none
            };
            each(conversion.what, values[conversion.argument], amount);
        }
    }
}

/// Past a set of characters: a bracket is a member if it comes first.
fn skip_set(r: &mut Reader) {
    if r.peek() == b'^' {
        r.at += 1;
    }
    if r.peek() == b']' {
        r.at += 1;
    }
    while r.peek() != 0 && r.peek() != b']' {
        r.at += 1;
    }
    if r.peek() == b']' {
        r.at += 1;
    }
}
