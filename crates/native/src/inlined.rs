//! Where functions were inlined, from debug information.
//!
//! A function that was inlined has no symbol there; its code lies within that of another. Missed: functions inlined across
//! units (link-time optimisation, which the wrappers turn off).

use addr2line::gimli::{self, AttributeValue, DebuggingInformationEntry, Dwarf, EndianSlice, LittleEndian, Unit};
use object::{Object, ObjectSection};
use std::borrow::Cow;
use std::collections::HashMap;

type Slice<'a> = EndianSlice<'a, LittleEndian>;

/// Code of an inlined function: its name, mangled if the compiler says so, and from where to where in the file.
pub(crate) struct Inlined {
    pub(crate) name: String,
    pub(crate) from: u64,
    pub(crate) to: u64,
}

/// All of them; what cannot be read is left out.
pub(crate) fn inlined(file: &object::File) -> Vec<Inlined> {
    let section = |id: gimli::SectionId| -> Result<Cow<[u8]>, gimli::Error> {
        let found = file.section_by_name(id.name());
        Ok(found.and_then(|section| section.uncompressed_data().ok()).unwrap_or_default())
    };
    let Ok(sections) = gimli::DwarfSections::load(section) else { return Vec::new() };
    let dwarf = sections.borrow(|data| EndianSlice::new(data, LittleEndian));
    let mut found = Vec::new();
    let mut units = dwarf.units();
    while let Ok(Some(header)) = units.next() {
        if let Ok(unit) = dwarf.unit(header) {
            // A unit that breaks off has said what it could.
            let _ = in_unit(&dwarf, &unit, &mut found);
        }
    }
    found
}

fn in_unit(dwarf: &Dwarf<Slice>, unit: &Unit<Slice>, found: &mut Vec<Inlined>) -> Result<(), gimli::Error> {
    let names = names(dwarf, unit)?;
    let mut entries = unit.entries();
    while let Some((_, entry)) = entries.next_dfs()? {
        if entry.tag() != gimli::DW_TAG_inlined_subroutine {
            continue;
        }
        let Some(name) = reference(entry, gimli::DW_AT_abstract_origin)?.and_then(|origin| names.get(&origin)) else {
            continue;
        };
        let mut ranges = dwarf.die_ranges(unit, entry)?;
        while let Some(range) = ranges.next()? {
            if range.begin < range.end {
                found.push(Inlined { name: name.clone(), from: range.begin, to: range.end });
            }
        }
    }
    Ok(())
}

/// Names of the unit's functions by where they are described: the mangled one, else with the classes and namespaces around.
fn names(dwarf: &Dwarf<Slice>, unit: &Unit<Slice>) -> Result<HashMap<usize, String>, gimli::Error> {
    let mut names: HashMap<usize, String> = HashMap::new();
    let mut origins: Vec<(usize, usize)> = Vec::new();
    let mut around: Vec<(isize, String)> = Vec::new();
    let mut depth = 0;
    let mut entries = unit.entries();
    while let Some((delta, entry)) = entries.next_dfs()? {
        depth += delta;
        around.retain(|(level, _)| *level < depth);
        let own = text(dwarf, unit, entry, gimli::DW_AT_name)?;
        match entry.tag() {
            gimli::DW_TAG_namespace | gimli::DW_TAG_class_type | gimli::DW_TAG_structure_type => {
                around.push((depth, own.unwrap_or_else(|| "(anonymous namespace)".into())));
            }
            gimli::DW_TAG_subprogram => {
                let mangled = text(dwarf, unit, entry, gimli::DW_AT_linkage_name)?;
                let qualified = || {
                    let parts = around.iter().map(|(_, name)| name.as_str()).chain(own.as_deref());
                    own.is_some().then(|| parts.collect::<Vec<_>>().join("::"))
                };
                if let Some(name) = mangled.or_else(qualified) {
                    names.insert(entry.offset().0, name);
                } else if let Some(origin) = reference(entry, gimli::DW_AT_specification)? {
                    origins.push((entry.offset().0, origin));
                }
            }
            _ => {}
        }
    }
    for (place, origin) in origins {
        if let Some(name) = names.get(&origin).cloned() {
            names.insert(place, name);
        }
    }
    Ok(names)
}

fn text(
    dwarf: &Dwarf<Slice>,
    unit: &Unit<Slice>,
    entry: &DebuggingInformationEntry<Slice>,
    attribute: gimli::DwAt,
) -> Result<Option<String>, gimli::Error> {
    let Some(value) = entry.attr_value(attribute)? else { return Ok(None) };
    Ok(Some(dwarf.attr_string(unit, value)?.to_string_lossy().into_owned()))
}

/// Where in the unit an attribute points to.
fn reference(entry: &DebuggingInformationEntry<Slice>, attribute: gimli::DwAt) -> Result<Option<usize>, gimli::Error> {
    Ok(match entry.attr_value(attribute)? {
        Some(AttributeValue::UnitRef(offset)) => Some(offset.0),
        _ => None,
    })
}
