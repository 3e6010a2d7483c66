//! The variables of a function that are in scope at an instruction, from debug information.

use super::walk::Activation;
use addr2line::gimli::{
    self, AttributeValue, DebuggingInformationEntry, Dwarf, EndianSlice, Error, Expression, LittleEndian, Operation,
    Register, Unit, UnitOffset, X86_64,
};

type Slice<'a> = EndianSlice<'a, LittleEndian>;
type Entry<'u, 'a> = DebuggingInformationEntry<'u, 'u, Slice<'a>>;

/// Types that are made of each other, at most.
const DEEPEST: usize = 16;

/// Where something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
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
    place: Place,
    size: u64,
}

/// The variables in scope at an instruction.
#[derive(Debug)]
pub(super) struct Scope {
    base: Option<Place>,
    variables: Vec<Variable>,
}

impl Scope {
    /// None: it is in no function that is described.
    pub(super) fn at(dwarf: &Dwarf<Slice>, pc: u64) -> Result<Option<Scope>, Error> {
        let mut units = dwarf.units();
        while let Some(header) = units.next()? {
            let unit = dwarf.unit(header)?;
            let mut ranges = dwarf.unit_ranges(&unit)?;
            while let Some(range) = ranges.next()? {
                if (range.begin..range.end).contains(&pc) {
                    return Unfinished { dwarf, unit: &unit, pc }.scope();
                }
            }
        }
        Ok(None)
    }

    /// The only variable at an address in a frame of the function, and where it begins.
    pub(super) fn variable(&self, frame: &Activation, address: u64) -> Option<(&Variable, u64)> {
        let holds = |variable: &Variable| {
            let at = self.find(frame, variable.place)?;
            (at >= frame.stack && at <= address && address - at < variable.size).then_some(at)
        };
        let mut found = self.variables.iter().filter_map(|variable| Some((variable, holds(variable)?)));
        let (first, at) = found.next()?;
        let same = |(other, begins): (&Variable, u64)| begins == at && other.name == first.name;
        found.all(same).then_some((first, at))
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

/// A scope that is being read.
struct Unfinished<'d, 'a> {
    dwarf: &'d Dwarf<Slice<'a>>,
    unit: &'d Unit<Slice<'a>>,
    pc: u64,
}

impl<'d, 'a> Unfinished<'d, 'a> {
    fn scope(&self) -> Result<Option<Scope>, Error> {
        let mut found: Option<Scope> = None;
        // The function and the blocks in it that hold the instruction: their depths, and those that were inlined so far.
        let mut around: Vec<(isize, usize)> = Vec::new();
        // Below this nothing is in scope.
        let mut closed: Option<isize> = None;
        let mut depth = 0;
        let mut entries = self.unit.entries();
        while let Some((delta, entry)) = entries.next_dfs()? {
            depth += delta;
            if closed.is_some_and(|closed| depth > closed) {
                continue;
            }
            closed = None;
            if around.first().is_some_and(|(function, _)| depth <= *function) {
                break;
            }
            around.retain(|(outer, _)| *outer < depth);
            let Some((scope, (_, inlined))) = found.as_mut().zip(around.last().copied()) else {
                if entry.tag() == gimli::DW_TAG_subprogram && self.is_within(entry)? {
                    let base = self.base(entry)?;
                    found = Some(Scope { base, variables: Vec::new() });
                    around.push((depth, 0));
                }
                continue;
            };
            match entry.tag() {
                gimli::DW_TAG_lexical_block if self.is_within(entry)? => around.push((depth, inlined)),
                gimli::DW_TAG_inlined_subroutine if self.is_within(entry)? => around.push((depth, inlined + 1)),
                gimli::DW_TAG_variable | gimli::DW_TAG_formal_parameter => {
                    scope.variables.extend(self.variable(entry, inlined)?);
                    closed = Some(depth);
                }
                _ => closed = Some(depth),
            }
        }
        Ok(found)
    }

    fn is_within(&self, entry: &Entry<'_, 'a>) -> Result<bool, Error> {
        let mut ranges = self.dwarf.die_ranges(self.unit, entry)?;
        while let Some(range) = ranges.next()? {
            if (range.begin..range.end).contains(&self.pc) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// None: it is in no memory that can be told, or nobody named it.
    fn variable(&self, entry: &Entry<'_, 'a>, inlined: usize) -> Result<Option<Variable>, Error> {
        let Some(place) = self.location(entry)? else { return Ok(None) };
        let Some(AttributeValue::UnitRef(of)) = self.inherited(entry, gimli::DW_AT_type)? else { return Ok(None) };
        let Some(name) = self.inherited(entry, gimli::DW_AT_name)? else { return Ok(None) };
        let name = self.dwarf.attr_string(self.unit, name)?.to_string_lossy().into_owned();
        let size = self.size(of, DEEPEST)?.filter(|_| !name.starts_with("__"));
        Ok(size.map(|size| Variable { name, inlined, place, size }))
    }

    /// What an entry says, or the one that it is made from.
    fn inherited(&self, entry: &Entry<'_, 'a>, what: gimli::DwAt) -> Result<Option<AttributeValue<Slice<'a>>>, Error> {
        match (entry.attr_value(what)?, entry.attr_value(gimli::DW_AT_abstract_origin)?) {
            (Some(own), _) => Ok(Some(own)),
            (None, Some(AttributeValue::UnitRef(origin))) => self.unit.entry(origin)?.attr_value(what),
            (None, _) => Ok(None),
        }
    }

    /// Where a variable is. What threads share stays where it is for as long as it is in scope, but optimised code may have its value in a
    /// register as well, and tell only of that: so the one place in memory that is told of anywhere will do.
    fn location(&self, entry: &Entry<'_, 'a>) -> Result<Option<Place>, Error> {
        let Some(value) = entry.attr_value(gimli::DW_AT_location)? else { return Ok(None) };
        if let AttributeValue::Exprloc(expression) = value {
            return self.place(expression);
        }
        let Some(mut list) = self.dwarf.attr_locations(self.unit, value)? else { return Ok(None) };
        let mut places: Vec<Place> = Vec::new();
        while let Some(part) = list.next()? {
            places.extend(self.place(part.data)?);
        }
        let first = places.first().copied();
        Ok(first.filter(|first| places.iter().all(|place| place == first)))
    }

    /// What a function's places are measured from.
    fn base(&self, entry: &Entry<'_, 'a>) -> Result<Option<Place>, Error> {
        let Some(AttributeValue::Exprloc(expression)) = entry.attr_value(gimli::DW_AT_frame_base)? else {
            return Ok(None);
        };
        let mut operations = expression.operations(self.unit.encoding());
        match (operations.next()?, operations.next()?) {
            (Some(Operation::Register { register }), None) => Ok(Some(Place::Register(register, 0))),
            _ => self.place(expression),
        }
    }

    /// None: it is not in memory, or takes more to say than a distance from something.
    fn place(&self, expression: Expression<Slice<'a>>) -> Result<Option<Place>, Error> {
        let mut operations = expression.operations(self.unit.encoding());
        let place = match operations.next()? {
            Some(Operation::FrameOffset { offset }) => Place::Base(offset),
            Some(Operation::RegisterOffset { register, offset, .. }) => Place::Register(register, offset),
            Some(Operation::CallFrameCFA) => Place::End(0),
            _ => return Ok(None),
        };
        Ok(operations.next()?.is_none().then_some(place))
    }

    /// Bytes of a type.
    fn size(&self, of: UnitOffset, left: usize) -> Result<Option<u64>, Error> {
        let entry = self.unit.entry(of)?;
        if let Some(size) = entry.attr_value(gimli::DW_AT_byte_size)?.and_then(|size| size.udata_value()) {
            return Ok(Some(size));
        }
        let inner = match entry.attr_value(gimli::DW_AT_type)? {
            Some(AttributeValue::UnitRef(inner)) if left > 0 => self.size(inner, left - 1)?,
            _ => None,
        };
        match entry.tag() {
            gimli::DW_TAG_typedef
            | gimli::DW_TAG_const_type
            | gimli::DW_TAG_volatile_type
            | gimli::DW_TAG_restrict_type
            | gimli::DW_TAG_atomic_type => Ok(inner),
            gimli::DW_TAG_array_type => {
                Ok(inner.zip(self.members(of)?).and_then(|(size, many)| size.checked_mul(many)))
            }
            _ => Ok(None),
        }
    }

    /// Members of an array, in all its dimensions.
    fn members(&self, of: UnitOffset) -> Result<Option<u64>, Error> {
        let mut all = Some(1_u64);
        let mut tree = self.unit.entries_tree(Some(of))?;
        let mut dimensions = tree.root()?.children();
        while let Some(dimension) = dimensions.next()? {
            let entry = dimension.entry();
            let number = |what| entry.attr_value(what).map(|value| value.and_then(|value| value.udata_value()));
            let upper = number(gimli::DW_AT_upper_bound)?.and_then(|last| last.checked_add(1));
            let many = number(gimli::DW_AT_count)?.or(upper);
            all = all.zip(many).and_then(|(all, many)| all.checked_mul(many));
        }
        Ok(all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FRAME: Activation = Activation { pc: 1, stack: 0x1000, frame: None, end: 0x1080 };

    fn found(variables: &[(&str, Place, u64)], address: u64) -> Option<(String, u64)> {
        let variable = |(name, place, size): &(&str, Place, u64)| Variable {
            name: (*name).into(),
            inlined: 0,
            place: *place,
            size: *size,
        };
        let scope = Scope { base: Some(Place::End(0)), variables: variables.iter().map(variable).collect() };
        scope.variable(&FRAME, address).map(|(variable, at)| (variable.name.clone(), at))
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
}
