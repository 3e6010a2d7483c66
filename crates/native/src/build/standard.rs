//! What a linked program says about the Rust standard library inside it (`trace/standard.rs`), from its symbols and debug
//! information.
//!
//! Functions of the library that wait are found by their symbols and stood in for. Its inline code was compiled with
//! the program, at any level of optimisation: debug information says which instructions came from which function. Where one
//! function is inlined into another, the innermost that means something decides. Helpers mean nothing by themselves: an
//! atomic operation inside `core` belongs to whoever called it.

mod layout;
mod names;

use std::collections::{BTreeSet, HashMap};

use super::channels::{self, Beginnings};
use super::painted::{Painted, Whose};
use super::unwind;
use addr2line::gimli::{self, AttributeValue, DebuggingInformationEntry, Dwarf, EndianSlice, LittleEndian, Unit};
use gabion_trace::standard::{Layout, MAGIC, Model, Site};
pub(super) use names::changes_process;
use names::{BARRIER, IS_FINISHED, LIBRARY, MADE_OF, MODELS, RESULT, START_UP, TRIED, inside, plain, site};
use object::{Object, ObjectSection, ObjectSymbol, SymbolKind};

type Slice<'a> = EndianSlice<'a, LittleEndian>;

/// How the library in a program was compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Made {
    /// As it came with the compiler: nobody sees what its own units do.
    Prebuilt,
    /// From its sources, instrumented like the program (`sysroot`).
    Rebuilt,
}

/// What was found.
#[derive(Debug, Default)]
pub(super) struct Standard {
    sites: Vec<(u32, u32, Whose)>,
    models: Vec<(u32, Model)>,
    /// How callers are found in its code.
    rules: Vec<(u32, u32)>,
    layout: Layout,
    /// What is not as the models expect it, in words: each is a caveat.
    pub(super) unknown: Vec<String>,
}

impl Standard {
    /// Examines a linked program.
    pub(super) fn of(file: &object::File<'_>, made: Made) -> Standard {
        let functions = functions(file);
        let mut painted = Painted::default();
        let mut found = Standard::default();
        let learned = read_debug_information(file, made, &mut painted);
        found.layout.barrier = learned.barrier;
        found.unknown.extend(learned.doubts());
        if made == Made::Prebuilt {
            found.rules = unwind::rules(file, |function| painted.at(function).inside);
        }
        for (from, size, name) in &functions {
            let prebuilt = made == Made::Prebuilt && painted.at(*from).inside;
            if prebuilt && START_UP.iter().any(|beginning| name.starts_with(beginning)) {
                painted.paint(*from, from + size, Whose { site: Site::Trusted, inside: true });
            }
        }
        found.sites = painted.ranges();
        found.layout.current = layout::current(file).unwrap_or(0);
        found.layout.parker = functions.iter().find_map(|f| layout::parker(file, made, f)).unwrap_or(0);
        for (from, _, name) in &functions {
            let model = MODELS.iter().find(|(known, _)| known == name);
            // A crate of the program's own may be called `test`.
            let own = |model: &Model| *model == Model::Harness && !painted.at(*from).inside;
            if let Some((_, model)) = model.filter(|(_, model)| !own(model)) {
                found.add(*from as u32, *model, name);
            }
        }
        found
    }

    fn add(&mut self, from: u32, model: Model, name: &str) {
        let layout = self.layout;
        let known = match model {
            Model::ThreadPark | Model::ThreadParkTimeout => layout.parker != 0,
            Model::Park | Model::ParkTimeout => layout.parker != 0 && layout.current != 0,
            Model::Barrier => layout.barrier != 0,
            _ => true,
        };
        if known && self.models.iter().all(|(other, _)| *other != from) {
            self.models.push((from, model));
        } else if !known {
            self.unknown.push(format!("where {name} keeps its state was not found"));
        }
    }

    /// The section.
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut words = vec![MAGIC, self.sites.len() as u32, self.models.len() as u32];
        words.extend(self.layout.words());
        words.extend(self.sites.iter().flat_map(|(from, to, whose)| [*from, *to, whose.word()]));
        words.extend(self.models.iter().flat_map(|(from, model)| [*from, *model as u32]));
        words.extend(self.rules.iter().flat_map(|(from, number)| [*from, *number]));
        words.into_iter().flat_map(u32::to_le_bytes).collect()
    }
}

/// Functions by their symbols: address, size, name.
fn functions(file: &object::File<'_>) -> Vec<(u64, u64, String)> {
    let texts = file.symbols().filter(|symbol| symbol.kind() == SymbolKind::Text && symbol.size() > 0);
    texts.filter_map(|symbol| Some((symbol.address(), symbol.size(), plain(symbol.name().ok()?)))).collect()
}

/// Paints the instrumented code, and learns about the library.
fn read_debug_information(file: &object::File<'_>, made: Made, painted: &mut Painted) -> Learned {
    let mut learned = Learned::default();
    let section = |id: gimli::SectionId| -> Result<std::borrow::Cow<[u8]>, gimli::Error> {
        let found = file.section_by_name(id.name());
        Ok(found.and_then(|section| section.uncompressed_data().ok()).unwrap_or_default())
    };
    let Ok(sections) = gimli::DwarfSections::load(section) else { return learned };
    let dwarf = sections.borrow(|data| EndianSlice::new(data, LittleEndian));
    let mut headers = dwarf.units();
    let mut units = Vec::new();
    while let Ok(Some(header)) = headers.next() {
        match dwarf.unit(header) {
            Ok(unit) if !is_inside(&unit) => units.push((unit, false)),
            Ok(unit) => {
                learned.releases.extend(release(&dwarf, &unit));
                let (site, inside) = (if made == Made::Rebuilt { Site::Caller } else { Site::Library }, true);
                let ranges = dwarf.unit_ranges(&unit);
                learned.broken |= ranges.and_then(|all| paint_all(all, Whose { site, inside }, painted)).is_err();
                units.extend((made == Made::Rebuilt).then_some((unit, true)));
            }
            Err(_) => learned.broken = true,
        }
    }
    for (unit, inside) in &units {
        learned.broken |= learn(&dwarf, unit, *inside, &mut learned).is_err();
    }
    if learned.asks_for_ends {
        for result in &learned.results {
            learned.sites.insert(*result, Site::Own);
        }
    }
    let mut beginnings = Beginnings::default();
    for (unit, inside) in &units {
        learned.broken |= paint_unit(&dwarf, (unit, *inside), &learned, painted, &mut beginnings).is_err();
    }
    learned.not_begun = beginnings.is_one_missing();
    learned
}

/// Was it compiled with the library, by where that was done?
fn is_inside(unit: &Unit<Slice<'_>>) -> bool {
    unit.comp_dir.is_some_and(|dir| LIBRARY.iter().any(|beginning| dir.slice().starts_with(beginning)))
}

/// The release that compiled a unit, as in `1.95.0`; units that were not compiled by rustc have none.
fn release<'a>(dwarf: &Dwarf<Slice<'a>>, unit: &Unit<Slice<'a>>) -> Option<String> {
    let mut entries = unit.entries();
    let (_, root) = entries.next_dfs().ok()??;
    let producer = text(dwarf, unit, root, gimli::DW_AT_producer).ok()??;
    let (_, version) = producer.split_once("rustc version ")?;
    Some(version.split([' ', ')']).next()?.to_owned())
}

/// Was this release tried?
fn is_tried(release: &str) -> bool {
    TRIED.iter().any(|tried| release.strip_prefix(tried).is_some_and(|rest| rest.starts_with('.')))
}

/// What debug information says.
#[derive(Default)]
struct Learned {
    /// Whose code functions are, by where they are described.
    sites: HashMap<usize, Site>,
    /// The last lines with which operations on channels begin, by where the functions are described.
    beginnings: HashMap<usize, u64>,
    /// One of them begins nowhere.
    not_begun: bool,
    /// Those of [`RESULT`].
    results: Vec<usize>,
    asks_for_ends: bool,
    /// From a barrier to the number of its threads, and 1; 0: not found.
    barrier: u32,
    /// That compiled the library.
    releases: BTreeSet<String>,
    /// Functions of the program's interface to locks, and what they are made of.
    outer: BTreeSet<&'static str>,
    inner: BTreeSet<&'static str>,
    /// Some of it could not be read.
    broken: bool,
}

impl Learned {
    /// A function of the library's own units.
    fn add_inside(&mut self, offset: usize, name: &str) {
        self.sites.insert(offset, inside(name));
    }

    fn add(&mut self, offset: usize, name: &str, declared: u64) {
        let site = site(name);
        self.sites.insert(offset, site);
        if site == Site::Begin {
            self.beginnings.insert(offset, channels::beginning(name, declared));
        }
        self.asks_for_ends |= name.starts_with("std::thread::") && name.ends_with(IS_FINISHED);
        if name.starts_with(RESULT) {
            self.results.push(offset);
        }
        for (kind, function, inner) in MADE_OF {
            if name.starts_with(kind) && name.ends_with(function) {
                self.outer.insert(inner);
            }
            if name == inner {
                self.inner.insert(inner);
            }
        }
    }

    fn beginning(&self, function: usize) -> u64 {
        self.beginnings.get(&function).copied().unwrap_or(u64::MAX)
    }

    /// What of it the models cannot rely on.
    fn doubts(&self) -> Vec<String> {
        let tried = TRIED.join(", ");
        let mut doubts: Vec<String> = self.releases.iter().filter(|release| !is_tried(release)).cloned().collect();
        doubts.iter_mut().for_each(|release| *release = format!("release {release} was not tried (tried: {tried})"));
        if self.releases.is_empty() {
            doubts.push(format!("its release is not known, because it has no debug information (tried: {tried})"));
        }
        if self.broken {
            doubts.push("debug information could not be read".to_owned());
        }
        if self.not_begun {
            doubts.push("where an operation on a channel begins was not found".to_owned());
        }
        doubts.extend(self.outer.difference(&self.inner).map(|inner| format!("{inner} was not found")));
        doubts
    }
}

fn paint_all(mut ranges: gimli::RangeIter<Slice<'_>>, whose: Whose, painted: &mut Painted) -> Result<(), gimli::Error> {
    while let Some(range) = ranges.next()? {
        if range.begin < range.end && range.begin != 0 {
            painted.paint(range.begin, range.end, whose);
        }
    }
    Ok(())
}

/// Whose code the unit's functions are, by where they are described; and the layout of a barrier.
fn learn<'a>(
    dwarf: &Dwarf<Slice<'a>>,
    unit: &Unit<Slice<'a>>,
    inside: bool,
    learned: &mut Learned,
) -> Result<(), gimli::Error> {
    let mut entries = unit.entries();
    let mut depth = 0;
    // Those around, outermost first: depth and name. A program may have a barrier of its own.
    let mut around: Vec<(isize, String)> = Vec::new();
    let mut elsewhere = Vec::new();
    while let Some((delta, entry)) = entries.next_dfs()? {
        depth += delta;
        around.retain(|(level, _)| *level < depth);
        let offset = entry.offset().to_debug_info_offset(&unit.header).map_or(0, |offset| offset.0);
        match entry.tag() {
            gimli::DW_TAG_subprogram => {
                let mangled = text(dwarf, unit, entry, gimli::DW_AT_linkage_name)?;
                if let Some(mangled) = mangled.as_ref().filter(|_| inside) {
                    learned.add_inside(offset, &plain(mangled));
                } else if let Some(mangled) = mangled {
                    let declared = entry.attr_value(gimli::DW_AT_decl_line)?.and_then(|line| line.udata_value());
                    learned.add(offset, &plain(&mangled), declared.unwrap_or(0));
                } else if let Some(described) = reference(unit, entry, gimli::DW_AT_specification)? {
                    elsewhere.push((offset, described));
                }
            }
            gimli::DW_TAG_namespace | gimli::DW_TAG_structure_type => {
                around.push((depth, text(dwarf, unit, entry, gimli::DW_AT_name)?.unwrap_or_default()));
            }
            gimli::DW_TAG_member if around.iter().map(|(_, name)| name).eq(BARRIER) => {
                let place = entry.attr_value(gimli::DW_AT_data_member_location)?.and_then(|v| v.udata_value());
                if text(dwarf, unit, entry, gimli::DW_AT_name)?.as_deref() == Some("num_threads") {
                    learned.barrier = place.map_or(0, |place| place as u32 + 1);
                }
            }
            _ => {}
        }
    }
    for (offset, described) in elsewhere {
        if let Some(site) = learned.sites.get(&described).copied() {
            learned.sites.insert(offset, site);
            if let Some(line) = learned.beginnings.get(&described).copied() {
                learned.beginnings.insert(offset, line);
            }
            if learned.results.contains(&described) {
                learned.results.push(offset);
            }
        }
    }
    Ok(())
}

fn paint_unit<'a>(
    dwarf: &Dwarf<Slice<'a>>,
    (unit, inside): (&Unit<Slice<'a>>, bool),
    learned: &Learned,
    painted: &mut Painted,
    beginnings: &mut Beginnings,
) -> Result<(), gimli::Error> {
    let mut entries = unit.entries();
    let mut depth = 0;
    let names = &learned.sites;
    // What a function is that nothing is known of.
    let unknown = if inside { Site::Caller } else { Site::Own };
    // Those around, outermost first: depth, whose code it is, and the last line with which it begins.
    let mut around: Vec<(isize, Site, u64)> = Vec::new();
    while let Some((delta, entry)) = entries.next_dfs()? {
        depth += delta;
        around.retain(|(level, ..)| *level < depth);
        let (own, begins) = match entry.tag() {
            gimli::DW_TAG_subprogram => {
                let here = entry.offset().to_debug_info_offset(&unit.header).map_or(0, |offset| offset.0);
                let described = reference(unit, entry, gimli::DW_AT_specification)?.or(reference(
                    unit,
                    entry,
                    gimli::DW_AT_abstract_origin,
                )?);
                around.clear();
                let found = names.get_key_value(&here).or_else(|| names.get_key_value(&described?));
                found.map_or((unknown, u64::MAX), |(at, site)| (*site, learned.beginning(*at)))
            }
            gimli::DW_TAG_inlined_subroutine => {
                let described = reference(unit, entry, gimli::DW_AT_abstract_origin)?;
                let own = described.and_then(|at| names.get(&at)).copied().unwrap_or(unknown);
                let (outer, last) = around.last().map_or((unknown, u64::MAX), |(_, site, last)| (*site, *last));
                let line = entry.attr_value(gimli::DW_AT_call_line)?.and_then(|line| line.udata_value()).unwrap_or(0);
                let begins =
                    if own == Site::Caller { u64::MAX } else { described.map_or(u64::MAX, |at| learned.beginning(at)) };
                if own == Site::Caller && outer == Site::Begin && !inside {
                    beginnings.see(line, last);
                }
                // What is trusted is so with all that it was compiled into one function with.
                let trusted = inside && outer.is_trusted() && own != Site::Own;
                (if trusted { outer } else { channels::nested(own, outer, line <= last) }, begins)
            }
            _ => continue,
        };
        // A lock that such a function takes is taken for the program, whoever called the function: nobody else is asked.
        let for_program = around.iter().any(|(_, site, _)| *site == Site::Own);
        let is_lock = !matches!(own, Site::Own | Site::Caller) && !own.is_trusted();
        around.push((depth, own, begins));
        let inside = inside && !(for_program && is_lock);
        paint_all(dwarf.die_ranges(unit, entry)?, Whose { site: own, inside }, painted)?;
    }
    Ok(())
}

fn text<'a>(
    dwarf: &Dwarf<Slice<'a>>,
    unit: &Unit<Slice<'a>>,
    entry: &DebuggingInformationEntry<Slice<'a>>,
    attribute: gimli::DwAt,
) -> Result<Option<String>, gimli::Error> {
    let Some(value) = entry.attr_value(attribute)? else { return Ok(None) };
    Ok(Some(dwarf.attr_string(unit, value)?.to_string_lossy().into_owned()))
}

/// Where in the whole section an attribute points to.
fn reference<'a>(
    unit: &Unit<Slice<'a>>,
    entry: &DebuggingInformationEntry<Slice<'a>>,
    attribute: gimli::DwAt,
) -> Result<Option<usize>, gimli::Error> {
    Ok(match entry.attr_value(attribute)? {
        Some(AttributeValue::UnitRef(offset)) => offset.to_debug_info_offset(&unit.header).map(|offset| offset.0),
        Some(AttributeValue::DebugInfoRef(offset)) => Some(offset.0),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_tried_is_said() {
        let check = |releases: &[&str], names: &[&str], expected: &[&str]| {
            let mut learned =
                Learned { releases: releases.iter().map(|r| r.to_string()).collect(), ..Learned::default() };
            names.iter().for_each(|name| learned.add(0, name, 0));
            assert_eq!(learned.doubts(), expected);
        };
        let (outer, inner) =
            ("std::sync::poison::mutex::Mutex<u8>>::lock", "std::sys::sync::mutex::futex::Mutex::lock");
        check(&["1.95.0"], &[outer, inner], &[]);
        check(&["1.95.0"], &[inner], &[]);
        check(&["1.95.0"], &[outer], &["std::sys::sync::mutex::futex::Mutex::lock was not found"]);
        check(&["1.97.0-nightly"], &[], &["release 1.97.0-nightly was not tried (tried: 1.95)"]);
        check(&["1.9.0"], &[], &["release 1.9.0 was not tried (tried: 1.95)"]);
        check(&[], &[], &["its release is not known, because it has no debug information (tried: 1.95)"]);
    }
}
