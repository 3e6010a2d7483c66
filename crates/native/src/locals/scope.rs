//! The variables of a function that are in scope at an instruction.
//!
//! In Rust a variable's scope begins behind the statement that gives it its first value. So where no variable is in scope, one that is declared on
//! the line of the instruction is meant.

use super::walk::Activation;
use crate::types::Type;
use addr2line::gimli::{Register, X86_64};

/// Where something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// That far from the end of the frame.
    End(i64),
    /// From a register.
    Register(Register, i64),
    /// From what the function's other places are measured from.
    Base(i64),
}

/// A variable in memory.
#[derive(Debug)]
pub(super) struct Variable {
    pub(super) name: String,
    /// In how many functions that were inlined it is declared.
    pub(super) inlined: usize,
    pub(super) place: Place,
    pub(super) size: u64,
    pub(super) of: Type,
    /// The line, unless the variable is in scope.
    pub(super) declared: Option<u32>,
}

/// The variables in scope, or in blocks that may follow, at an instruction.
#[derive(Debug)]
pub(super) struct Scope {
    /// What places are measured from.
    pub(super) base: Option<Place>,
    pub(super) variables: Vec<Variable>,
}

impl Scope {
    /// The only variable at an address in a frame of the function, and where it begins. `lines` are those of the instruction, in the function
    /// and in what was inlined there.
    pub(super) fn variable<'v>(
        &'v self,
        frame: &Activation,
        address: u64,
        lines: &[Option<u32>],
    ) -> Option<(&'v Variable, u64)> {
        let holds = |variable: &Variable| {
            let at = self.find(frame, variable.place)?;
            (at >= frame.stack && at <= address && address - at < variable.size).then_some(at)
        };
        let here = || self.variables.iter().filter_map(|variable| Some((variable, holds(variable)?)));
        let only = |found: Vec<(&'v Variable, u64)>| {
            let (first, at) = *found.first()?;
            found.iter().all(|(other, begins)| *begins == at && other.name == first.name).then_some((first, at))
        };
        let (live, others): (Vec<_>, Vec<_>) = here().partition(|(variable, _)| variable.declared.is_none());
        if !live.is_empty() {
            return only(live);
        }
        let begins = |variable: &Variable| lines.get(variable.inlined).is_some_and(|line| *line == variable.declared);
        only(others.into_iter().filter(|(variable, _)| begins(variable)).collect())
    }

    fn find(&self, frame: &Activation, place: Place) -> Option<u64> {
        match place {
            Place::End(offset) => frame.end.checked_add_signed(offset),
            Place::Register(X86_64::RSP, offset) => frame.stack.checked_add_signed(offset),
            Place::Register(X86_64::RBP, offset) => frame.frame?.checked_add_signed(offset),
            Place::Register(..) => None,
            Place::Base(offset) => {
                let base = self.base.filter(|base| !matches!(base, Place::Base(_)))?;
                self.find(frame, base)?.checked_add_signed(offset)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FRAME: Activation = Activation { pc: 1, stack: 0x1000, frame: None, end: 0x1080 };

    /// Where all that do not begin with a capital are in scope; the others are declared on line 7.
    fn found(variables: &[(&str, Place, u64)], address: u64) -> Option<(String, u64)> {
        found_on(6, variables, address)
    }

    fn found_on(line: u32, variables: &[(&str, Place, u64)], address: u64) -> Option<(String, u64)> {
        let variable = |(name, place, size): &(&str, Place, u64)| {
            let declared = name.starts_with(char::is_uppercase).then_some(7);
            Variable { name: (*name).into(), inlined: 0, place: *place, size: *size, of: Type(0), declared }
        };
        let scope = Scope { base: Some(Place::End(0)), variables: variables.iter().map(variable).collect() };
        scope.variable(&FRAME, address, &[Some(line)]).map(|(variable, at)| (variable.name.clone(), at))
    }

    #[test]
    fn a_variable_is_where_it_is_said_to_be() {
        let all = [("a", Place::Base(-16), 4), ("b", Place::Register(X86_64::RSP, 8), 16), ("c", Place::Base(-12), 0)];
        let check = |at: u64, expected: Option<(&str, u64)>| {
            assert_eq!(found(&all, at), expected.map(|(name, at)| (name.to_owned(), at)), "{at:#x}");
        };
        check(0x1070, Some(("a", 0x1070)));
        check(0x1073, Some(("a", 0x1070)));
        check(0x1074, None);
        check(0x1017, Some(("b", 0x1008)));
        check(0x1018, None);
        // The frame pointer is not known.
        assert_eq!(found(&[("a", Place::Register(X86_64::RBP, 0), 8)], 0x1000), None);
        // Below the frame.
        assert_eq!(found(&[("a", Place::Base(-0x88), 16)], 0x1000), None);
    }

    #[test]
    fn of_two_variables_in_a_place_neither_is_told() {
        let (here, also_here) = (Place::Base(-16), Place::Register(X86_64::RSP, 0x70));
        assert_eq!(found(&[("a", here, 4), ("b", also_here, 8)], 0x1070), None);
        assert_eq!(found(&[("a", here, 4), ("b", also_here, 8)], 0x1075), Some(("b".into(), 0x1070)));
        assert_eq!(found(&[("a", here, 4), ("a", also_here, 4)], 0x1070), Some(("a".into(), 0x1070)));
    }

    #[test]
    fn a_variable_that_is_not_in_scope_yet_is_told_on_its_line() {
        let here = Place::Base(-16);
        assert_eq!(found_on(7, &[("A", here, 4)], 0x1070), Some(("A".into(), 0x1070)));
        assert_eq!(found_on(8, &[("A", here, 4)], 0x1070), None);
        assert_eq!(found_on(7, &[("A", here, 4), ("B", here, 4)], 0x1070), None);
        assert_eq!(found_on(7, &[("A", here, 4), ("b", here, 4)], 0x1070), Some(("b".into(), 0x1070)));
    }
}
