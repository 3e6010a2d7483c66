//! What of a variable is touched: `.slots[2].value`.
//!
//! Members of base classes, and of structures that have no name, are told as the variable's own. Where two members are in the same
//! place (unions) or have the same name, of bit-fields, and of what only the language's library or the compiler knows, the distance
//! in bytes is told: a wrong name is worse than none.

use super::{DEEPEST, Entry, Slice, Type, Types, is_rust, number};
use addr2line::gimli::{self, AttributeValue, Error, Unit};

/// A member of a structure.
struct Member {
    /// None: it has none that people know.
    name: Option<String>,
    /// Bytes from the beginning of the structure.
    from: u64,
    to: u64,
    of: Option<Type>,
}

impl Types<'_, '_> {
    /// What is so many bytes behind the beginning of a variable: of an access of `size` bytes, all of it.
    pub(crate) fn within(&self, of: Type, offset: u64, size: u64) -> String {
        let mut path = String::new();
        let (mut here, mut left) = (of, offset);
        for _ in 0..DEEPEST {
            let Ok(Some((step, next, from))) = self.step(here, left, size.max(1)) else { break };
            path += &step;
            (here, left) = (next, left - from);
        }
        match left {
            0 => path,
            left => format!("{path}+{left}"),
        }
    }

    /// One step into a type: in words, what is there, and where it begins.
    fn step(&self, of: Type, offset: u64, size: u64) -> Result<Option<(String, Type, u64)>, Error> {
        let Some((of, shape)) = self.itself(of)? else { return Ok(None) };
        if shape.has_members() && !self.is_opaque(of, shape.name.as_deref())? {
            return self.member(of, offset, size);
        }
        match shape.of {
            Some(each) if shape.tag == gimli::DW_TAG_array_type => self.element(of, each, offset, size),
            _ => Ok(None),
        }
    }

    /// Is what it has inside nobody's business?
    fn is_opaque(&self, of: Type, name: Option<&str>) -> Result<bool, Error> {
        let known = |c: char| c.is_alphabetic() || c == '_' || c == '(';
        let made = name.is_some_and(|name| !name.starts_with(known));
        Ok(made || self.is_library(of)?)
    }

    fn member(&self, of: Type, offset: u64, size: u64) -> Result<Option<(String, Type, u64)>, Error> {
        let Some(end) = offset.checked_add(size) else { return Ok(None) };
        let mut all = Vec::new();
        self.members(of, 0, DEEPEST, &mut all)?;
        let mut there = all.iter().filter(|member| member.from < end && offset < member.to);
        let (Some(found), None) = (there.next(), there.next()) else { return Ok(None) };
        let is_only = all.iter().filter(|other| other.name == found.name).count() == 1;
        let whole = found.from <= offset && end <= found.to && is_only;
        let named = found.name.as_ref().zip(found.of).filter(|_| whole);
        Ok(named.map(|(name, of)| (format!(".{name}"), of, found.from)))
    }

    fn element(&self, of: Type, each: Type, offset: u64, size: u64) -> Result<Option<(String, Type, u64)>, Error> {
        let (bytes, dimensions) = (self.size(each)?.filter(|bytes| *bytes > 0), self.dimensions(of)?);
        let Some((bytes, dimensions)) = bytes.zip(dimensions) else { return Ok(None) };
        let (mut index, mut path) = (offset / bytes, String::new());
        if (offset % bytes).saturating_add(size) > bytes {
            return Ok(None);
        }
        // The last dimension is the one that is next to each other.
        for many in dimensions.iter().rev() {
            let Some(nth) = index.checked_rem(*many) else { return Ok(None) };
            path = format!("[{nth}]{path}");
            index /= many;
        }
        Ok((index == 0).then_some((path, each, offset - offset % bytes)))
    }

    /// All members of a structure that begins `at` there.
    fn members(&self, of: Type, at: u64, left: usize, all: &mut Vec<Member>) -> Result<(), Error> {
        let (opened, entry) = self.open(of)?;
        let unit = &opened.unit;
        let mut tree = unit.entries_tree(Some(entry))?;
        let mut children = tree.root()?.children();
        while let Some(child) = children.next()? {
            let entry = child.entry();
            match entry.tag() {
                gimli::DW_TAG_member | gimli::DW_TAG_inheritance => {}
                // One of several, by what is in it.
                gimli::DW_TAG_variant_part => {
                    all.push(Member { name: None, from: at, to: u64::MAX, of: None });
                    continue;
                }
                _ => continue,
            }
            let of = Type::referred(unit, entry.attr_value(gimli::DW_AT_type)?);
            let Some((from, to)) = self.place(entry, of)? else { continue };
            let (from, to) = (at.saturating_add(from), at.saturating_add(to));
            let bits = entry.attr_value(gimli::DW_AT_bit_size)?.is_some();
            let name = self.name(unit, entry)?;
            let itself = match of {
                Some(of) if name.is_none() && !bits => self.itself(of)?,
                _ => None,
            };
            match itself {
                Some((of, shape))
                    if left > 0 && shape.has_members() && !self.is_opaque(of, shape.name.as_deref())? =>
                {
                    self.members(of, from, left - 1, all)?;
                }
                _ => {
                    let name = if bits { None } else { known(unit, entry, name)? };
                    all.push(Member { name, from, to, of });
                }
            }
        }
        Ok(())
    }

    /// Where a member is. None: it is in no place that is always the same, or has no bytes.
    fn place(&self, entry: &Entry<'_, '_>, of: Option<Type>) -> Result<Option<(u64, u64)>, Error> {
        if entry.attr_value(gimli::DW_AT_external)?.is_some() || entry.attr_value(gimli::DW_AT_declaration)?.is_some() {
            return Ok(None);
        }
        let from = match entry.attr_value(gimli::DW_AT_data_member_location)? {
            None => Some(0),
            Some(value) => value.udata_value(),
        };
        let size = match (number(entry, gimli::DW_AT_byte_size)?, of) {
            (None, Some(of)) => self.size(of)?,
            (own, _) => own,
        };
        let Some((from, size)) = from.zip(size.filter(|size| *size > 0)) else { return Ok(None) };
        let Some(bits) = number(entry, gimli::DW_AT_bit_size)? else {
            return Ok(Some((from, from.saturating_add(size))));
        };
        // Of a bit-field: from the beginning of the structure, before DWARF 5 from the end of the integer that it is in.
        let first = match (number(entry, gimli::DW_AT_data_bit_offset)?, number(entry, gimli::DW_AT_bit_offset)?) {
            (Some(first), _) => Some(first),
            (None, Some(last)) => {
                let end = from.saturating_add(size).saturating_mul(8);
                end.checked_sub(last.saturating_add(bits))
            }
            (None, None) => from.checked_mul(8),
        };
        Ok(first.map(|first| (first / 8, first.saturating_add(bits).div_ceil(8))))
    }
}

/// A member's name as people know it: not if it is the compiler's or the C library's. What has no name in Rust has a number.
fn known(unit: &Unit<Slice<'_>>, entry: &Entry<'_, '_>, name: Option<String>) -> Result<Option<String>, Error> {
    let Some(name) = name else { return Ok(None) };
    let artificial = matches!(entry.attr_value(gimli::DW_AT_artificial)?, Some(AttributeValue::Flag(true)));
    if is_rust(unit)? {
        let nth = name.strip_prefix("__").filter(|nth| nth.bytes().all(|b| b.is_ascii_digit()));
        return Ok(Some(nth.map_or(name.clone(), str::to_owned)));
    }
    let reserved = name.strip_prefix('_').is_some_and(|rest| rest.starts_with(|c: char| c == '_' || c.is_uppercase()));
    Ok((!artificial && !reserved).then_some(name))
}
