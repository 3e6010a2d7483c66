//! Scopes from debug information.

use super::scope::{Place, Scope, Variable};
use crate::types::{Entry, Slice, Type, Types};
use addr2line::gimli::{self, AttributeValue, Dwarf, Error, Expression, Operation, Unit};

impl Scope {
    /// None: it is in no function that is described.
    pub(super) fn at(dwarf: &Dwarf<Slice>, pc: u64) -> Result<Option<Scope>, Error> {
        let mut units = dwarf.units();
        while let Some(header) = units.next()? {
            let unit = dwarf.unit(header)?;
            let mut ranges = dwarf.unit_ranges(&unit)?;
            while let Some(range) = ranges.next()? {
                if (range.begin..range.end).contains(&pc) {
                    return Unfinished { dwarf, unit: &unit, types: Types::new(dwarf), pc }.scope();
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
    types: Types<'d, 'a>,
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
        let of = Type::referred(self.unit, self.inherited(entry, gimli::DW_AT_type)?);
        let Some(of) = of else { return Ok(None) };
        let Some(name) = self.inherited(entry, gimli::DW_AT_name)? else { return Ok(None) };
        let name = self.dwarf.attr_string(self.unit, name)?.to_string_lossy().into_owned();
        let line = self.inherited(entry, gimli::DW_AT_decl_line)?.and_then(|line| line.udata_value());
        let declared = if live { None } else { Some(line.and_then(|line| u32::try_from(line).ok()).unwrap_or(0)) };
        let size = self.types.size(of)?.filter(|_| !name.starts_with("__"));
        Ok(size.map(|size| Variable { name, inlined, place, size, of, declared }))
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
}
