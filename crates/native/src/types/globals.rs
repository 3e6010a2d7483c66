//! The types of global variables.

use super::{Slice, Type};
use addr2line::gimli::{self, AttributeValue, Dwarf, Error, Operation, Unit};
use std::collections::HashMap;

/// By address in the file. None: variables of different types are there.
pub(crate) fn globals(dwarf: &Dwarf<Slice<'_>>) -> HashMap<u64, Option<Type>> {
    let mut all = HashMap::new();
    let mut units = dwarf.units();
    // What cannot be read is not there.
    while let Ok(Some(header)) = units.next() {
        if let Ok(unit) = dwarf.unit(header) {
            _ = of_unit(dwarf, &unit, &mut all);
        }
    }
    all.into_iter().map(|(at, (_, of))| (at, of)).collect()
}

type Found<'a> = HashMap<u64, (Option<Slice<'a>>, Option<Type>)>;

fn of_unit<'a>(dwarf: &Dwarf<Slice<'a>>, unit: &Unit<Slice<'a>>, all: &mut Found<'a>) -> Result<(), Error> {
    let mut entries = unit.entries();
    while let Some((_, entry)) = entries.next_dfs()? {
        if entry.tag() != gimli::DW_TAG_variable {
            continue;
        }
        let Some(AttributeValue::Exprloc(place)) = entry.attr_value(gimli::DW_AT_location)? else { continue };
        let mut operations = place.operations(unit.encoding());
        let at = match operations.next()? {
            Some(Operation::Address { address }) => address,
            Some(Operation::AddressIndex { index }) => dwarf.address(unit, index)?,
            _ => continue,
        };
        if operations.next()?.is_some() {
            continue;
        }
        // What is declared in a class or a function is told there.
        let origin = match entry.attr_value(gimli::DW_AT_specification)? {
            None => entry.attr_value(gimli::DW_AT_abstract_origin)?,
            declaration => declaration,
        };
        let says = |what| match (entry.attr_value(what)?, &origin) {
            (None, Some(AttributeValue::UnitRef(origin))) => unit.entry(*origin)?.attr_value(what),
            (own, _) => Ok::<_, Error>(own),
        };
        let of = Type::referred(unit, says(gimli::DW_AT_type)?);
        let name = says(gimli::DW_AT_name)?.and_then(|name| dwarf.attr_string(unit, name).ok());
        let known = all.entry(at).or_insert((name, of));
        if known.0 != name {
            known.1 = None;
        }
    }
    Ok(())
}
