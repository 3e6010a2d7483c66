//! Scopes from debug information.

use super::scope::{Place, Scope, Variable};
use addr2line::gimli::{
    self, AttributeValue, DebuggingInformationEntry, Dwarf, EndianSlice, Error, Expression, LittleEndian, Operation,
    Unit, UnitOffset,
};

type Slice<'a> = EndianSlice<'a, LittleEndian>;
type Entry<'u, 'a> = DebuggingInformationEntry<'u, 'u, Slice<'a>>;

/// Types that are made of each other, at most.
const DEEPEST: usize = 16;

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
        // The function and the blocks in it: their depths, how many were inlined so far, and whether they hold the instruction.
        let mut around: Vec<(isize, usize, bool)> = Vec::new();
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
            if around.first().is_some_and(|(function, ..)| depth <= *function) {
                break;
            }
            around.retain(|(outer, ..)| *outer < depth);
            let Some((scope, (_, inlined, live))) = found.as_mut().zip(around.last().copied()) else {
                if entry.tag() == gimli::DW_TAG_subprogram && self.is_within(entry)? {
                    let base = self.base(entry)?;
                    found = Some(Scope { base, variables: Vec::new() });
                    around.push((depth, 0, true));
                }
                continue;
            };
            match entry.tag() {
                gimli::DW_TAG_lexical_block => around.push((depth, inlined, live && self.is_within(entry)?)),
                gimli::DW_TAG_inlined_subroutine if live && self.is_within(entry)? => {
                    around.push((depth, inlined + 1, true));
                }
                gimli::DW_TAG_variable | gimli::DW_TAG_formal_parameter => {
                    scope.variables.extend(self.variable(entry, inlined, live)?);
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
    fn variable(&self, entry: &Entry<'_, 'a>, inlined: usize, live: bool) -> Result<Option<Variable>, Error> {
        let Some(place) = self.location(entry)? else { return Ok(None) };
        let Some(AttributeValue::UnitRef(of)) = self.inherited(entry, gimli::DW_AT_type)? else { return Ok(None) };
        let Some(name) = self.inherited(entry, gimli::DW_AT_name)? else { return Ok(None) };
        let name = self.dwarf.attr_string(self.unit, name)?.to_string_lossy().into_owned();
        let line = self.inherited(entry, gimli::DW_AT_decl_line)?.and_then(|line| line.udata_value());
        let declared = if live { None } else { Some(line.and_then(|line| u32::try_from(line).ok()).unwrap_or(0)) };
        let size = self.size(of, DEEPEST)?.filter(|_| !name.starts_with("__"));
        Ok(size.map(|size| Variable { name, inlined, place, size, declared }))
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
