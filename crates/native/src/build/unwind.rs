//! The rules by which callers are found in code that nobody instrumented (`trace/unwind.rs`), from what the compiler wrote for
//! exceptions.

use addr2line::gimli::{
    BaseAddresses, CfaRule, CieOrFde, EhFrame, Error, LittleEndian, RegisterRule, UnwindContext, UnwindSection,
    UnwindTableRow, X86_64,
};
use gabion_trace::unwind::{Base, Rule};
use object::{Object, ObjectSection};

/// Rules of those functions, by where their code begins: where a rule begins, and its number; 0 behind
/// them.
pub(super) fn rules(file: &object::File<'_>, is_wanted: impl Fn(u64) -> bool) -> Vec<(u32, u32)> {
    let mut rules = all(file, is_wanted).unwrap_or_default();
    // Where one function ends and the next begins, the next counts.
    rules.sort_by_key(|(at, number)| (*at, *number != 0));
    rules.dedup_by(|next, kept| {
        next.0 == kept.0 && {
            kept.1 = next.1;
            true
        }
    });
    rules.dedup_by_key(|(_, number)| *number);
    rules
}

fn all(file: &object::File<'_>, is_wanted: impl Fn(u64) -> bool) -> Option<Vec<(u32, u32)>> {
    let section = file.section_by_name(".eh_frame")?;
    let data = section.uncompressed_data().ok()?;
    let frames = EhFrame::new(&data, LittleEndian);
    let text = file.section_by_name(".text").map_or(0, |text| text.address());
    let bases = BaseAddresses::default().set_eh_frame(section.address()).set_text(text);
    let mut context = UnwindContext::new();
    let mut rules = Vec::new();
    let mut entries = frames.entries(&bases);
    while let Ok(Some(entry)) = entries.next() {
        let CieOrFde::Fde(partial) = entry else { continue };
        let Ok(function) = partial.parse(EhFrame::cie_from_offset) else { continue };
        if !is_wanted(function.initial_address()) {
            continue;
        }
        let before = rules.len();
        let mut read = || -> Result<(), Error> {
            let mut rows = function.rows(&frames, &bases, &mut context)?;
            while let Some(row) = rows.next_row()? {
                rules.push((row.start_address() as u32, rule(row).map_or(Rule::NONE, Rule::number)));
            }
            Ok(())
        };
        if read().is_err() {
            rules.truncate(before);
            rules.push((function.initial_address() as u32, Rule::NONE));
        }
        rules.push(((function.initial_address() + function.len()) as u32, 0));
    }
    Some(rules)
}

fn rule(row: &UnwindTableRow<usize>) -> Option<Rule> {
    let (base, size) = match row.cfa() {
        CfaRule::RegisterAndOffset { register: X86_64::RSP, offset } => (Base::Stack, *offset),
        CfaRule::RegisterAndOffset { register: X86_64::RBP, offset } => (Base::Frame, *offset),
        _ => return None,
    };
    if row.register(X86_64::RA) != RegisterRule::Offset(-8) {
        return None;
    }
    let saved = match row.register(X86_64::RBP) {
        RegisterRule::Undefined | RegisterRule::SameValue => None,
        RegisterRule::Offset(offset) => Some(-offset),
        _ => return None,
    };
    Rule::new(base, size, saved)
}

#[cfg(test)]
mod tests {
    use super::*;
    use object::ObjectSymbol;
    use std::process::Command;

    /// The rules of a function that calls another, compiled with or without a frame pointer.
    fn compiled(flag: &str) -> Vec<Option<Rule>> {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let (source, library) = (directory.path().join("f.c"), directory.path().join("f.so"));
        std::fs::write(&source, "int g(int);\nint f(int a) { return g(a) + 1; }\n").expect("a file");
        let mut compiler = Command::new("gcc");
        compiler.args(["-O1", "-fPIC", "-shared", flag, "-o"]).arg(&library).arg(&source);
        assert!(compiler.status().expect("gcc starts").success());
        let bytes = std::fs::read(&library).expect("it was compiled");
        let file = object::File::parse(&*bytes).expect("an object file");
        let f = file.symbols().find(|symbol| symbol.name() == Ok("f")).expect("the function").address();
        rules(&file, |function| function == f).into_iter().map(|(_, number)| Rule::from_number(number)).collect()
    }

    #[test]
    fn rules_are_those_of_the_compiled_code() {
        let (framed, plain) = (compiled("-fno-omit-frame-pointer"), compiled("-fomit-frame-pointer"));
        let at_entry = Rule::new(Base::Stack, 8, None);
        assert_eq!((framed[0], plain[0]), (at_entry, at_entry));
        assert!(framed.contains(&Rule::new(Base::Frame, 16, Some(16))), "{framed:?}");
        assert!(plain.contains(&Rule::new(Base::Stack, 16, None)), "{plain:?}");
        // Behind the function there is none.
        assert_eq!((framed.last(), plain.last()), (Some(&None), Some(&None)));
    }
}
