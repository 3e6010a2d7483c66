//! Types from debug information.
//!
//! Missed: types that are told elsewhere by a signature, and debug information outside of the file.

mod globals;
mod members;
#[cfg(test)]
mod tests;

use addr2line::gimli::{
    self, AttributeValue, DebugInfoOffset, DebuggingInformationEntry, Dwarf, EndianSlice, Error, LittleEndian, Unit,
    UnitOffset,
};
pub(crate) use globals::globals;
use std::cell::{OnceCell, RefCell};
use std::ops::Range;
use std::rc::Rc;

pub(crate) type Slice<'a> = EndianSlice<'a, LittleEndian>;
pub(crate) type Entry<'u, 'a> = DebuggingInformationEntry<'u, 'u, Slice<'a>>;

/// Types that are made of each other, at most.
const DEEPEST: usize = 16;

/// A type, by the place of its entry in the debug information.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Type(pub(crate) usize);

impl Type {
    /// What an attribute of an entry refers to.
    pub(crate) fn referred(unit: &Unit<Slice<'_>>, value: Option<AttributeValue<Slice<'_>>>) -> Option<Type> {
        match value? {
            AttributeValue::UnitRef(at) => at.to_debug_info_offset(&unit.header).map(|at| Type(at.0)),
            AttributeValue::DebugInfoRef(at) => Some(Type(at.0)),
            _ => None,
        }
    }
}

/// The types of a file.
pub(crate) struct Types<'d, 'a> {
    dwarf: &'d Dwarf<Slice<'a>>,
    units: RefCell<Vec<Rc<Opened<'a>>>>,
}

/// A unit that was asked for.
struct Opened<'a> {
    unit: Unit<Slice<'a>>,
    /// Where what its language's library declares is told.
    library: OnceCell<Vec<Range<usize>>>,
}

/// What a type is.
struct Shape {
    tag: gimli::DwTag,
    name: Option<String>,
    size: Option<u64>,
    /// What it is made of, if that is one type.
    of: Option<Type>,
}

impl Shape {
    /// Is it another type by another name, or with a promise?
    fn is_alias(&self) -> bool {
        matches!(
            self.tag,
            gimli::DW_TAG_typedef
                | gimli::DW_TAG_const_type
                | gimli::DW_TAG_volatile_type
                | gimli::DW_TAG_restrict_type
        )
    }

    fn has_members(&self) -> bool {
        matches!(self.tag, gimli::DW_TAG_structure_type | gimli::DW_TAG_class_type | gimli::DW_TAG_union_type)
    }
}

impl<'d, 'a> Types<'d, 'a> {
    pub(crate) fn new(dwarf: &'d Dwarf<Slice<'a>>) -> Self {
        Types { dwarf, units: RefCell::default() }
    }

    fn open(&self, of: Type) -> Result<(Rc<Opened<'a>>, UnitOffset), Error> {
        let at = DebugInfoOffset(of.0);
        let mut known = self.units.borrow_mut();
        if let Some(found) = known.iter().find_map(|k| Some((k.clone(), at.to_unit_offset(&k.unit.header)?))) {
            return Ok(found);
        }
        let mut headers = self.dwarf.units();
        while let Some(header) = headers.next()? {
            if let Some(within) = at.to_unit_offset(&header) {
                let opened = Rc::new(Opened { unit: self.dwarf.unit(header)?, library: OnceCell::new() });
                known.push(opened.clone());
                return Ok((opened, within));
            }
        }
        Err(Error::NoEntryAtGivenOffset)
    }

    fn shape(&self, of: Type) -> Result<Shape, Error> {
        let (opened, at) = self.open(of)?;
        let unit = &opened.unit;
        let entry = unit.entry(at)?;
        // What is calculated with as one is one.
        let vector = entry.attr_value(gimli::DW_AT_GNU_vector)?.is_some();
        Ok(Shape {
            tag: if vector { gimli::DW_TAG_base_type } else { entry.tag() },
            name: self.name(unit, &entry)?,
            size: number(&entry, gimli::DW_AT_byte_size)?
                .or(is_pointer(entry.tag()).then_some(unit.encoding().address_size.into())),
            of: Type::referred(unit, entry.attr_value(gimli::DW_AT_type)?),
        })
    }

    /// The type itself, and what it is.
    fn itself(&self, mut of: Type) -> Result<Option<(Type, Shape)>, Error> {
        for _ in 0..DEEPEST {
            let shape = self.shape(of)?;
            match shape.of {
                Some(next) if shape.is_alias() => of = next,
                _ => return Ok(Some((of, shape))),
            }
        }
        Ok(None)
    }

    /// Bytes of a type.
    pub(crate) fn size(&self, of: Type) -> Result<Option<u64>, Error> {
        self.size_within(of, DEEPEST)
    }

    fn size_within(&self, of: Type, left: usize) -> Result<Option<u64>, Error> {
        let shape = self.shape(of)?;
        let (None, Some(inner)) = (shape.size, shape.of.filter(|_| left > 0)) else { return Ok(shape.size) };
        match shape.tag {
            gimli::DW_TAG_array_type => {
                let each = self.size_within(inner, left - 1)?;
                let many = self.dimensions(of)?.and_then(|all| all.into_iter().try_fold(1, u64::checked_mul));
                Ok(each.zip(many).and_then(|(each, many)| each.checked_mul(many)))
            }
            gimli::DW_TAG_atomic_type => self.size_within(inner, left - 1),
            _ if shape.is_alias() => self.size_within(inner, left - 1),
            _ => Ok(None),
        }
    }

    /// Members of an array, in each dimension.
    fn dimensions(&self, of: Type) -> Result<Option<Vec<u64>>, Error> {
        let (opened, at) = self.open(of)?;
        let mut all = Some(Vec::new());
        let mut tree = opened.unit.entries_tree(Some(at))?;
        let mut dimensions = tree.root()?.children();
        while let Some(dimension) = dimensions.next()? {
            let entry = dimension.entry();
            let upper = number(entry, gimli::DW_AT_upper_bound)?.and_then(|last| last.checked_add(1));
            let many = number(entry, gimli::DW_AT_count)?.or(upper);
            all = all.zip(many).map(|(mut all, many)| {
                all.push(many);
                all
            });
        }
        Ok(all)
    }

    fn name(&self, unit: &Unit<Slice<'a>>, entry: &Entry<'_, 'a>) -> Result<Option<String>, Error> {
        let Some(name) = entry.attr_value(gimli::DW_AT_name)? else { return Ok(None) };
        Ok(Some(self.dwarf.attr_string(unit, name)?.to_string_lossy().into_owned()))
    }

    /// Does the language's library declare it?
    fn is_library(&self, of: Type) -> Result<bool, Error> {
        let (opened, at) = self.open(of)?;
        if opened.library.get().is_none() {
            _ = opened.library.set(self.library(&opened.unit)?);
        }
        Ok(opened.library.get().is_some_and(|all| all.iter().any(|range| range.contains(&at.0))))
    }

    fn library(&self, unit: &Unit<Slice<'a>>) -> Result<Vec<Range<usize>>, Error> {
        let names: &[&str] = if is_rust(unit)? { &["std", "core", "alloc"] } else { &["std", "__gnu_cxx"] };
        let mut all: Vec<Range<usize>> = Vec::new();
        let mut open: Option<usize> = None;
        let mut tree = unit.entries_tree(None)?;
        let mut declared = tree.root()?.children();
        while let Some(next) = declared.next()? {
            let entry = next.entry();
            let at = entry.offset().0;
            all.extend(open.take().map(|from| from..at));
            let named = entry.tag() == gimli::DW_TAG_namespace
                && self.name(unit, entry)?.is_some_and(|name| names.contains(&name.as_str()));
            open = named.then_some(at);
        }
        all.extend(open.map(|from| from..usize::MAX));
        Ok(all)
    }
}

fn is_rust(unit: &Unit<Slice<'_>>) -> Result<bool, Error> {
    let mut tree = unit.entries_tree(None)?;
    let language = tree.root()?.entry().attr_value(gimli::DW_AT_language)?;
    Ok(matches!(language, Some(AttributeValue::Language(gimli::DW_LANG_Rust))))
}

/// Compilers need not say how large it is.
fn is_pointer(tag: gimli::DwTag) -> bool {
    matches!(tag, gimli::DW_TAG_pointer_type | gimli::DW_TAG_reference_type | gimli::DW_TAG_rvalue_reference_type)
}

fn number(entry: &Entry<'_, '_>, what: gimli::DwAt) -> Result<Option<u64>, Error> {
    Ok(entry.attr_value(what)?.and_then(|value| value.udata_value()))
}
