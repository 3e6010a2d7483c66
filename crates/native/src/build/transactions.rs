//! Hardware transactions (Intel's RTM) in the text that a compiler wrote.
//!
//! What happens between `xbegin` and `xend` is one step or never was, and whether it is, the processor decides: nobody models
//! that. On a processor without them they are illegal instructions, which `runtime/fault/missing.rs` knows too. The prefixes
//! `xacquire` and `xrelease` mean nothing but speed and are let through.

use super::location::Location;

const MNEMONICS: [&str; 4] = ["xbegin", "xend", "xabort", "xtest"];
/// The same as bytes, for old assemblers.
const BYTES: [(&str, &str); 4] =
    [("0xc7,0xf8", "xbegin"), ("0x0f,0x01,0xd5", "xend"), ("0xc6,0xf8", "xabort"), ("0x0f,0x01,0xd6", "xtest")];

/// The transactional instruction in a line, if there is one.
pub(super) fn transactional(line: &str) -> Option<&'static str> {
    if !line.contains('x') {
        return None;
    }
    line.split(';').find_map(|statement| {
        // Labels may stand before it.
        let text = statement.rsplit_once(':').map_or(statement, |(_, rest)| rest).trim();
        if let Some(bytes) = text.strip_prefix(".byte") {
            let bytes: String = bytes.split_whitespace().collect::<String>().to_lowercase();
            return BYTES.iter().find(|(known, _)| bytes.starts_with(known)).map(|(_, name)| *name);
        }
        let word = text.split([' ', '\t']).next().unwrap_or_default();
        MNEMONICS.into_iter().find(|known| *known == word)
    })
}

/// All of a text, each with its place in the source.
pub(super) fn of_lines<'t>(lines: impl Iterator<Item = &'t str>) -> Vec<String> {
    let mut location = Location::default();
    let mut found = Vec::new();
    for line in lines {
        location.line(line);
        if let Some(name) = transactional(line) {
            found.push(format!("{name} at {}", location.last.as_deref().unwrap_or("a place without a line")));
        }
    }
    found.dedup();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transactions_are_known_by_name_and_by_bytes() {
        let check = |line: &str, expected: Option<&str>| assert_eq!(transactional(line), expected, "{line}");
        check("\txbegin\t.L2", Some("xbegin"));
        check("1: xbegin 1f", Some("xbegin"));
        check("\txtest", Some("xtest"));
        check("\tnop; xabort $255", Some("xabort"));
        check("\t.byte 0xc7,0xf8 ; .long 0", Some("xbegin"));
        check("\t.byte 0x0F, 0x01, 0xD5", Some("xend"));
        check("\t.byte 0xc7", None);
        check("\txacquire lock cmpxchgl %edx, (%rdi)", None);
        check("\tcall xbegin_or_not", None);
        check("xbegin_table:", None);
        check("\txorl %eax, %eax", None);
    }
}
