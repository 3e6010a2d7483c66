//! Fitting text into columns, and numbers into text.

/// `1234567` as `1,234,567`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// How many there will be, of which so many were made: two digits, since nobody has counted them, and more than were made, since
/// it is not over.
pub fn about(all: f64, made: u64) -> String {
    let more = all.max(made as f64 + 1.0);
    if more >= 1e12 {
        return format!("10^{:.0}", more.log10());
    }
    let unit = 10f64.powf((more.log10().floor() - 1.0).max(0.0));
    let next = ((made as f64 / unit).floor() + 1.0) * unit;
    grouped(((more / unit).round() * unit).max(next) as u64)
}

/// A number of things, as in `1 run` and `2 runs`.
pub fn counted(number: u64, thing: &str) -> String {
    format!("{} {thing}{}", grouped(number), if number == 1 { "" } else { "s" })
}

/// Seconds as people say them: `0.21 s`, `12 s`, `3 min 20 s`.
pub fn seconds(seconds: f64) -> String {
    if seconds < 10.0 {
        return format!("{seconds:.2} s");
    }
    let whole = seconds.round() as u64;
    match (whole / 3600, whole / 60 % 60, whole % 60) {
        (0, 0, s) => format!("{s} s"),
        (0, m, s) => format!("{m} min {s} s"),
        (h, m, _) => format!("{h} h {m} min"),
    }
}

/// Breaks text into lines of at most `width`, between words where possible.
pub(crate) fn wrap(text: &str, width: usize) -> Vec<String> {
    let width = width.max(1);
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split_whitespace() {
        let mut word = word;
        if !line.is_empty() && length(&line) + 1 + length(word) > width {
            lines.push(std::mem::take(&mut line));
        }
        while length(word) > width {
            let cut = word.char_indices().nth(width).map_or(word.len(), |(i, _)| i);
            lines.push(word[..cut].to_string());
            word = &word[cut..];
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    if !line.is_empty() || lines.is_empty() {
        lines.push(line);
    }
    lines
}

/// Cuts text to a width, with dots where something is missing.
pub(crate) fn cut(text: &str, width: usize) -> String {
    if length(text) <= width {
        return text.to_string();
    }
    let kept: String = text.chars().take(width.saturating_sub(3)).collect();
    format!("{}...", kept.trim_end())
}

/// A paragraph: the first line after `first`, the others after as many blanks.
pub(crate) fn paragraph(first: &str, text: &str, width: usize) -> String {
    let indent = " ".repeat(length(first));
    let lines = wrap(text, width.saturating_sub(length(first)));
    let line = |(i, line): (usize, &String)| format!("{}{line}\n", if i == 0 { first } else { &indent });
    lines.iter().enumerate().map(line).collect()
}

pub(crate) fn length(text: &str) -> usize {
    text.chars().count()
}

/// A file's name, and if that is long only its end: `.../thread/unix.rs`.
pub(crate) fn brief(file: &str) -> String {
    const LONG: usize = 36;
    if length(file) <= LONG {
        return file.to_string();
    }
    let mut parts = file.rsplit('/');
    let (name, directory) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    format!(".../{directory}/{name}").replace("//", "/")
}

/// A function's name, and if that is long, without arguments of templates and without parameters.
pub fn short(function: &str) -> String {
    const LONG: usize = 60;
    let function = &gabion_trace::readable(function);
    if function.chars().count() <= LONG {
        return function.to_string();
    }
    let (mut text, mut depth, mut before) = (String::new(), 0usize, ' ');
    let operator = function.contains("operator<") || function.contains("operator>") || function.contains("operator-");
    for c in function.chars() {
        match c {
            '<' | '(' | '[' if !operator => {
                if depth == 0 {
                    text.push(c);
                    text.push_str("...");
                }
                depth += 1;
            }
            '>' | ')' | ']' if depth > 0 && before != '-' => {
                depth -= 1;
                if depth == 0 {
                    text.push(c);
                }
            }
            _ if depth == 0 => text.push(c),
            _ => {}
        }
        before = c;
    }
    text.replace("(...)::<...>", "::<...>")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn estimates_are_rounded_and_more_than_was_made() {
        let check = |all, made, text: &str| assert_eq!(about(all, made), text);
        check(29_624.4, 29_624, "30,000");
        check(30_000.0, 30_000, "31,000");
        check(100.0, 100, "110");
        check(3.0, 7, "8");
        check(1_234_567.0, 10, "1,200,000");
        check(70.2, 7, "70");
        check(3e15, 10, "10^15");
    }

    #[test]
    fn numbers() {
        let check = |number, text: &str| assert_eq!(grouped(number), text);
        check(0, "0");
        check(999, "999");
        check(1000, "1,000");
        check(1_234_567, "1,234,567");
    }

    #[test]
    fn times() {
        let check = |time, text: &str| assert_eq!(seconds(time), text);
        check(0.214, "0.21 s");
        check(59.6, "1 min 0 s");
        check(7260.0, "2 h 1 min");
    }

    #[test]
    fn wrapping_keeps_every_word_and_the_width() {
        let check = |text, width, lines: &[&str]| assert_eq!(wrap(text, width), lines);
        check("one two three", 7, &["one two", "three"]);
        check("abcdefgh ij", 5, &["abcde", "fgh", "ij"]);
        check("a abcdefghijk", 5, &["a", "abcde", "fghij", "k"]);
        check("", 5, &[""]);
        assert_eq!(cut("abcdefgh", 6), "abc...");
        assert_eq!(brief("src/a.rs"), "src/a.rs");
        assert_eq!(brief("/rustc/59807616e1fa2540724bfbac14d7976d7e4a3860/library/a/unix.rs"), ".../a/unix.rs");
    }
}
