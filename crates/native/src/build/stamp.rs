//! What the assembler leaves in an object and the linker in a program: text records, concatenated.
//!
//! ```text
//! gabion 8
//! unit counter.c
//! inline-assembly counter.c:12
//! end 5d4f0a61
//! ```
//! A record ends with its checksum: a caveat that is lost would be a verdict that is not true.
//! An object says so in [`STAMP`]; sections of one name are joined by any linker, so an object may hold several records.
//! A program has one record, without unit, in [`LINK`]. Neither is loaded into memory. A program that has lost the
//! section (by `strip -R` or another linker) counts as not built by us: silence is never a good sign.

use std::collections::BTreeSet;
use std::fmt::Write;

use gabion_trace::{Caveat, CaveatKind};

use super::results::Results;

/// Section of an object that was compiled with instrumentation.
pub(super) const STAMP: &str = ".gabion.stamp";
/// Section of a program or library that was linked by us.
pub(super) const LINK: &str = ".gabion.link";

const MAGIC: &str = "gabion ";
/// Of the records. Objects and programs with others are of no use.
pub const RECORD_FORMAT: &str = "8";

/// One translation unit, or one linked program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Record {
    /// Name of the source file.
    pub(super) unit: String,
    pub(super) caveats: Vec<Caveat>,
    /// Where variables of the stack are touched unannounced: matters if threads share a stack.
    pub(super) on_stack: Vec<String>,
    /// Functions of other libraries that only trusted code of this program calls.
    pub(super) trusted_calls: Vec<String>,
    /// What only all units together can tell.
    pub(super) results: Results,
    /// Imports of a program that only a test framework needs.
    pub(super) spared: BTreeSet<String>,
    /// Why the Rust standard library in a program is the prebuilt one; none: it is not, or there is none.
    pub(super) why_prebuilt: Option<String>,
    /// Checksum of the section about the Rust standard library, in a program that has one.
    pub(super) standard: Option<u32>,
    /// Where hardware transactions are used, which nobody models.
    pub(super) transactions: Vec<String>,
}

const KINDS: [(CaveatKind, &str); 6] = [
    (CaveatKind::UninstrumentedObject, "uninstrumented-object"),
    (CaveatKind::UninstrumentedLibrary, "uninstrumented-library"),
    (CaveatKind::UninstrumentedFunction, "uninstrumented-function"),
    (CaveatKind::UnknownStandardLibrary, "unknown-standard-library"),
    (CaveatKind::InlineAssembly, "inline-assembly"),
    (CaveatKind::TrustedLibrary, "trusted-library"),
];

impl Record {
    /// Its text.
    pub(super) fn encode(&self) -> String {
        let one_line = |text: &str| text.replace(['\n', '\r', '\0'], "?");
        let mut text = format!("{MAGIC}{RECORD_FORMAT}\nunit {}\n", one_line(&self.unit));
        for caveat in &self.caveats {
            let named = KINDS.iter().find(|(kind, _)| *kind == caveat.kind);
            let (_, name) = named.expect("internal error: a caveat that no compiler could find");
            writeln!(text, "{name} {}", one_line(&caveat.place)).expect("writing to a string");
        }
        for place in &self.on_stack {
            writeln!(text, "on-stack {}", one_line(place)).expect("writing to a string");
        }
        for name in &self.trusted_calls {
            writeln!(text, "trusted-call {}", one_line(name)).expect("writing to a string");
        }
        for name in &self.spared {
            writeln!(text, "spared {name}").expect("writing to a string");
        }
        if let Some(why) = &self.why_prebuilt {
            writeln!(text, "prebuilt {}", one_line(why)).expect("writing to a string");
        }
        if let Some(sum) = self.standard {
            writeln!(text, "standard {sum:08x}").expect("writing to a string");
        }
        for place in &self.transactions {
            writeln!(text, "transaction {}", one_line(place)).expect("writing to a string");
        }
        text.push_str(&self.results.encode());
        let sum = crc32fast::hash(text.as_bytes());
        writeln!(text, "end {sum:08x}").expect("writing to a string");
        text
    }
}

/// All records of a section; an error says what cannot be understood.
pub(super) fn decode(bytes: &[u8]) -> Result<Vec<Record>, String> {
    let text = String::from_utf8_lossy(bytes);
    let mut records = Vec::new();
    let mut lines = text.split('\n').map(|line| line.trim_start_matches('\0')).filter(|line| !line.is_empty());
    while let Some(line) = lines.next() {
        match line.strip_prefix(MAGIC) {
            Some(RECORD_FORMAT) => {}
            Some(other) => return Err(format!("built by another gabion (record format {other}): build it again")),
            None => return Err(format!("damaged gabion record at {line:?}")),
        }
        let mut record = Record::default();
        let mut sum = crc32fast::Hasher::new();
        let add =
            |sum: &mut crc32fast::Hasher, line: &str| [line, "\n"].iter().for_each(|part| sum.update(part.as_bytes()));
        add(&mut sum, line);
        loop {
            let line = lines.next().ok_or("damaged gabion record: no end")?;
            let (name, rest) = line.split_once(' ').ok_or_else(|| format!("damaged gabion record at {line:?}"))?;
            if name == "end" {
                if rest != format!("{:08x}", sum.finalize()) {
                    return Err("damaged gabion record: its checksum does not fit; build it again".to_owned());
                }
                break;
            }
            add(&mut sum, line);
            match KINDS.iter().find(|(_, known)| *known == name) {
                Some((kind, _)) => record.caveats.push(Caveat { kind: *kind, place: rest.to_owned() }),
                None if name == "unit" => record.unit = rest.to_owned(),
                None if name == "trusted-call" => record.trusted_calls.push(rest.to_owned()),
                None if name == "on-stack" => record.on_stack.push(rest.to_owned()),
                None if name == "prebuilt" => record.why_prebuilt = Some(rest.to_owned()),
                None if name == "standard" => {
                    let sum =
                        u32::from_str_radix(rest, 16).map_err(|_| format!("damaged gabion record at {line:?}"))?;
                    record.standard = Some(sum);
                }
                None if name == "transaction" => record.transactions.push(rest.to_owned()),
                None if name == "spared" => drop(record.spared.insert(rest.to_owned())),
                None if record.results.decode(name, rest) => {}
                None => return Err(format!("damaged gabion record at {line:?}")),
            }
        }
        records.push(record);
    }
    Ok(records)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_survive_and_add_up() {
        let caveat = |kind, place: &str| Caveat { kind, place: place.to_owned() };
        let first = Record {
            unit: "a b.c".to_owned(),
            caveats: vec![
                caveat(CaveatKind::InlineAssembly, "a b.c:12"),
                caveat(CaveatKind::UninstrumentedFunction, "operator new (a.c)"),
            ],
            on_stack: vec!["a b.c:7 in f".to_owned()],
            trusted_calls: vec!["close".to_owned()],
            results: Results { builders: ["make".to_owned()].into(), ..Results::default() },
            spared: ["regcomp".to_owned()].into(),
            why_prebuilt: Some("no sources".to_owned()),
            standard: Some(0x12ab),
            transactions: vec!["xbegin at a b.c:9".to_owned()],
        };
        let second = Record { unit: "two.c".to_owned(), ..Record::default() };
        let text = format!("{}\0\0{}", first.encode(), second.encode());
        assert_eq!(decode(text.as_bytes()), Ok(vec![first, second]));
    }

    #[test]
    fn damage_is_seen() {
        let check = |bytes: &[u8]| assert!(decode(bytes).is_err(), "{:?}", String::from_utf8_lossy(bytes));
        check(b"gabion 8\nunit a.c\n");
        check(b"gabion 8\nunit a.c\nend\n");
        check(b"gabion 4\nunit a.c\nend\n");
        check(b"gabion 8\nsurprise a.c\nend 00000000\n");
        check(b"something else");
        let caveats = vec![Caveat { kind: CaveatKind::InlineAssembly, place: "a.c:12".to_owned() }];
        let good = Record { unit: "a.c".to_owned(), caveats, ..Record::default() }.encode();
        let last = good.len() - 1; // the end of the last line says nothing
        for at in 0..last {
            let mut bad = good.clone().into_bytes();
            bad[at] ^= 1;
            check(&bad);
            if at > 0 {
                check(&good.as_bytes()[..at]);
            }
        }
    }
}
