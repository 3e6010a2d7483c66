//! Local variables: names for addresses on stacks.
//!
//! Which frame holds an address is found from how the stack stood (`locals/walk.rs`), which variables that frame has from
//! debug information (`locals/described.rs`, `locals/scope.rs`). Where anything does not fit, or two variables could be meant, nobody is told: a
//! wrong name is worse than none. Missed: variables of libraries, those that are described by more than a place in their frame or relative to a
//! register, and debug information outside of the file.

mod described;
mod scope;
mod walk;

use crate::Symbols;
use crate::types::{Slice, Type, Types, globals};
use addr2line::gimli::{Dwarf, DwarfSections, Error, LittleEndian, SectionId};
use gabion_trace::Standing;
use object::{Object, ObjectSection};
use scope::Scope;
use std::collections::HashMap;
use std::path::Path;
use walk::{Activation, Step};

/// A local variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Local {
    /// Its name.
    pub name: String,
    /// The function that it is declared in.
    pub function: String,
    /// Where it begins.
    pub address: u64,
    /// What of it is meant: a member, `.total`, an element, `[2]`, or so many bytes from there, `+4`. Empty: all.
    pub within: String,
}

/// What of a file tells of frames and variables, and what was looked up there. Addresses are those in the file.
#[derive(Default)]
pub(crate) struct Described {
    sections: DwarfSections<Vec<u8>>,
    /// For exceptions: where it is to be, and the bytes.
    unwinding: (u64, Vec<u8>),
    steps: HashMap<u64, Option<Step>>,
    scopes: HashMap<u64, Option<Scope>>,
    /// The types of global variables, once one was asked for.
    globals: Option<HashMap<u64, Option<Type>>>,
    /// What is in variables: by type, offset and size.
    within: HashMap<(Type, u64, u64), String>,
}

impl Described {
    /// What cannot be read is not there.
    pub(crate) fn read(path: &Path) -> Self {
        let Ok(bytes) = std::fs::read(path) else { return Described::default() };
        let Ok(file) = object::File::parse(&*bytes) else { return Described::default() };
        let section = |name: &str| -> Option<(u64, Vec<u8>)> {
            let section = file.section_by_name(name)?;
            Some((section.address(), section.uncompressed_data().ok()?.into_owned()))
        };
        let load = |id: SectionId| Ok::<_, Error>(section(id.name()).map(|(_, data)| data).unwrap_or_default());
        Described {
            sections: DwarfSections::load(load).unwrap_or_default(),
            unwinding: section(".eh_frame").unwrap_or_default(),
            ..Described::default()
        }
    }

    /// How to get from the frame of a function at this instruction to its caller's.
    fn step(&mut self, pc: u64) -> Option<Step> {
        let (address, data) = &self.unwinding;
        *self.steps.entry(pc).or_insert_with(|| Step::at(*address, data, pc))
    }

    /// The variables of the function at this instruction.
    fn scope(&mut self, pc: u64) -> Option<&Scope> {
        let sections = &self.sections;
        let look_up = || Scope::at(&dwarf(sections), pc).ok().flatten();
        self.scopes.entry(pc).or_insert_with(look_up).as_ref()
    }

    /// What `size` bytes are of the global variable that begins `at` there.
    pub(crate) fn in_global(&mut self, at: u64, offset: u64, size: u64) -> String {
        let all = self.globals.get_or_insert_with(|| globals(&dwarf(&self.sections)));
        match all.get(&at).copied().flatten() {
            Some(of) => self.within(of, offset, size),
            None if offset == 0 => String::new(),
            None => format!("+{offset}"),
        }
    }

    /// What `size` bytes are of a variable.
    fn within(&mut self, of: Type, offset: u64, size: u64) -> String {
        let look_up = || Types::new(&dwarf(&self.sections)).within(of, offset, size);
        self.within.entry((of, offset, size)).or_insert_with(look_up).clone()
    }
}

fn dwarf(sections: &DwarfSections<Vec<u8>>) -> Dwarf<Slice<'_>> {
    sections.borrow(|data| Slice::new(data, LittleEndian))
}

impl Symbols {
    /// The local variable at an address of a thread's stack, of which `size` bytes are touched.
    pub fn local(&mut self, standing: &Standing, address: u64, size: u64) -> Option<Local> {
        let frame = Activation::holding(standing, address, |pc| {
            let (described, slide) = self.described(pc)?;
            described.step(pc.wrapping_sub(slide))
        })?;
        let outermost: Vec<_> = self.frames(frame.pc).into_iter().rev().collect();
        let lines: Vec<_> = outermost.iter().map(|place| place.line).collect();
        let (described, slide) = self.described(frame.pc)?;
        let (variable, start) = described.scope(frame.pc.wrapping_sub(slide))?.variable(&frame, address, &lines)?;
        let place = outermost.get(variable.inlined).filter(|place| !place.is_library())?;
        let (name, of, function) = (variable.name.clone(), variable.of, place.function.clone()?);
        Some(Local { name, function, address: start, within: described.within(of, address - start, size) })
    }
}
