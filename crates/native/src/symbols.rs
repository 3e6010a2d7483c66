//! Names for addresses: functions and lines from debug information, variables from symbol tables.

use crate::locals::Described;
use crate::program::Module;
use addr2line::Loader;
use gabion_trace::places::{HEAP, HEAP_END, STACK_SPAN, STACKS, STACKS_END};
use gabion_trace::{Address, Frame, Pseudo, Space};
use object::{Object, ObjectSegment, ObjectSymbol, SymbolKind};
use std::collections::HashMap;

/// Names for one program's addresses.
pub struct Symbols {
    modules: Vec<Loaded>,
    frames: HashMap<u64, Vec<Frame>>,
}

struct Loaded {
    module: Module,
    /// What to add to an address in the file to get one in memory.
    slide: u64,
    loader: Option<Loader>,
    /// Variables, by address in the file: (address, size, name as it is [`shown`]).
    variables: Vec<(u64, u64, String)>,
    /// Functions, likewise.
    functions: Vec<(u64, u64, String)>,
    /// Frames and local variables, read when they are first asked for.
    described: Option<Described>,
}

/// What a file's symbol tables name, by address: (address, size, name).
fn named(file: &object::File<'_>, kind: SymbolKind) -> Vec<(u64, u64, String)> {
    let all = file.symbols().chain(file.dynamic_symbols());
    let of_kind = all.filter(|s| s.kind() == kind && s.size() > 0 && s.address() != 0);
    let mut named: Vec<_> = of_kind.filter_map(|s| Some((s.address(), s.size(), s.name().ok()?.to_owned()))).collect();
    named.sort();
    named.dedup_by_key(|v| v.0);
    named
}

/// Makes names of symbols such as people know: as their language spells them, without what a compiler adds, which may be
/// another in the next build. Where that would make two of them the same it stays.
fn shown(variables: &mut [(u64, u64, String)]) {
    let mut times: HashMap<String, u32> = HashMap::new();
    for (_, _, name) in variables.iter_mut() {
        let mangled = name.split('@').next().unwrap_or(name);
        let (own, added) = mangled.split_at(given(mangled).len());
        *name = demangled(own) + added;
        *times.entry(given(name).to_owned()).or_default() += 1;
    }
    for (_, _, name) in variables {
        let own = given(name);
        if times[own] == 1 {
            name.truncate(own.len());
        }
    }
}

/// A name without what compilers add to it: `.0`, `.llvm.123`.
fn given(name: &str) -> &str {
    let number = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    match name.rsplit_once('.') {
        Some((before, part)) if number(part) && !before.is_empty() => {
            given(before.strip_suffix(".llvm").unwrap_or(before))
        }
        _ => name,
    }
}

/// The one that holds an address.
fn holder(named: &[(u64, u64, String)], at: u64) -> Option<&(u64, u64, String)> {
    let index = named.partition_point(|v| v.0 <= at).checked_sub(1)?;
    named.get(index).filter(|(start, size, _)| at < start + size)
}

impl Loaded {
    fn new(module: Module) -> Self {
        let loader = Loader::new(&module.path).ok();
        let mut loaded =
            Loaded { slide: 0, loader, variables: Vec::new(), functions: Vec::new(), described: None, module };
        if let Ok(bytes) = std::fs::read(&loaded.module.path)
            && let Ok(file) = object::File::parse(&*bytes)
        {
            let first = file.segments().map(|s| s.address() & !0xfff).min().unwrap_or(0);
            loaded.slide = loaded.module.base.wrapping_sub(first);
            // What is zero at the start is not mapped from the file.
            let last = file.segments().map(|s| s.address().saturating_add(s.size())).max().unwrap_or(0);
            loaded.module.end = loaded.module.end.max(loaded.slide.wrapping_add(last));
            loaded.variables = named(&file, SymbolKind::Data);
            shown(&mut loaded.variables);
            loaded.functions = named(&file, SymbolKind::Text);
        }
        loaded
    }

    fn holds(&self, address: u64) -> bool {
        (self.module.base..self.module.end).contains(&address)
    }

    fn name(&self) -> String {
        self.module.path.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// Where `main` returns, which goes by its first instruction: its last line, as far as that is its own and not inlined.
    fn end_of_main(&self, at: u64, module: &str) -> Option<Frame> {
        let (start, size, _) = holder(&self.functions, at).filter(|(start, _, name)| *start == at && name == "main")?;
        let loader = self.loader.as_ref()?;
        let is_own = |at: u64| {
            let mut frames = loader.find_frames(at).ok()?;
            frames.next().ok()??;
            frames.next().ok()?.is_none().then_some(())
        };
        let lines = loader.find_location_range(*start, start + size).ok()?;
        let own = lines.filter(|(at, ..)| is_own(*at).is_some());
        let last = own.filter(|(.., place)| place.line.is_some()).max_by_key(|(.., place)| place.line)?.2;
        let file = last.file.map(str::to_owned);
        Some(Frame { function: Some("main".into()), file, line: last.line, module: module.to_owned() })
    }

    /// The variable there, and the offset in it.
    fn variable(&self, address: u64) -> Option<(String, u64)> {
        let at = address.wrapping_sub(self.slide);
        let (start, _, name) = holder(&self.variables, at)?;
        Some((name.clone(), at - start))
    }

    /// The variable there, and what of it `size` bytes are.
    fn place(&mut self, address: u64, size: u64) -> Option<String> {
        let at = address.wrapping_sub(self.slide);
        let (start, _, name) = holder(&self.variables, at)?;
        let described = self.described.get_or_insert_with(|| Described::read(&self.module.path));
        Some(format!("{name}{}", described.in_global(*start, at - start, size)))
    }

    /// Where a variable begins in memory.
    fn address(&self, wanted: &str) -> Option<u64> {
        let same = self.variables.iter().find(|(_, _, name)| name == wanted);
        // With another number, if only one can be meant.
        let mut near = self.variables.iter().filter(|(_, _, name)| given(name) == given(wanted));
        let found = same.or_else(|| near.next().filter(|_| near.next().is_none()));
        found.map(|(at, _, _)| at.wrapping_add(self.slide))
    }
}

impl Symbols {
    /// For a program with these modules.
    pub fn new(modules: Vec<Module>) -> Self {
        Symbols { modules: modules.into_iter().map(Loaded::new).collect(), frames: HashMap::new() }
    }

    /// The loaded files, each with what to add to an address in it to get one in memory.
    pub(crate) fn modules(&self) -> impl Iterator<Item = (&Module, u64)> {
        self.modules.iter().map(|loaded| (&loaded.module, loaded.slide))
    }

    /// Where an instruction is, innermost first; functions that were inlined are frames of their own.
    pub fn frames(&mut self, pc: u64) -> Vec<Frame> {
        if let Some(known) = self.frames.get(&pc) {
            return known.clone();
        }
        let frames = self.look_up(pc);
        self.frames.insert(pc, frames.clone());
        frames
    }

    fn look_up(&self, pc: u64) -> Vec<Frame> {
        let Some(loaded) = self.modules.iter().find(|m| m.holds(pc)) else {
            return vec![Frame { module: format!("{pc:#x}"), ..Frame::default() }];
        };
        let at = pc.wrapping_sub(loaded.slide);
        let module = format!("{}+{at:#x}", loaded.name());
        if let Some(end) = loaded.end_of_main(at, &module) {
            return vec![end];
        }
        let mut frames = Vec::new();
        if let Some(loader) = &loaded.loader
            && let Ok(mut found) = loader.find_frames(at)
        {
            while let Ok(Some(frame)) = found.next() {
                let function = frame.function.as_ref().and_then(|f| f.demangle().ok()).map(|n| n.into_owned());
                let location = frame.location.as_ref();
                frames.push(Frame {
                    function,
                    file: location.and_then(|l| l.file).map(str::to_owned),
                    line: location.and_then(|l| l.line),
                    module: module.clone(),
                });
            }
        }
        // Of lambdas the debug information has no more than this; the symbol has all.
        if let Some(frame) = frames.last_mut().filter(|frame| frame.function.as_deref() == Some("operator()")) {
            frame.function =
                holder(&loaded.functions, at).map(|(_, _, name)| demangled(name)).or(frame.function.take());
        }
        if frames.iter().all(|f| f.function.is_none()) {
            let function = holder(&loaded.functions, at).map(|(_, _, name)| demangled(name));
            match frames.first_mut() {
                Some(frame) => frame.function = function,
                None => frames.push(Frame { function, file: None, line: None, module }),
            }
        }
        frames
    }

    /// What the file of an instruction tells of frames, and what to add to an address in it to get one in memory.
    pub(crate) fn described(&mut self, pc: u64) -> Option<(&mut Described, u64)> {
        let loaded = self.modules.iter_mut().find(|module| module.holds(pc))?;
        let path = &loaded.module.path;
        Some((loaded.described.get_or_insert_with(|| Described::read(path)), loaded.slide))
    }

    /// The function that holds an instruction.
    pub fn function(&mut self, pc: u64) -> String {
        let frames = self.frames(pc);
        frames.iter().find_map(|f| f.function.clone()).unwrap_or_else(|| format!("{pc:#x}"))
    }

    /// The global variable at an address, and the offset in it.
    pub fn variable(&self, address: u64) -> Option<(String, u64)> {
        self.modules.iter().find(|m| m.holds(address))?.variable(address)
    }

    /// Where a global variable begins.
    pub fn address(&self, variable: &str) -> Option<u64> {
        self.modules.iter().find_map(|m| m.address(variable))
    }

    /// What `size` bytes at an address are: a variable or what is in it, a block of the heap, somebody's stack, hidden state.
    pub fn object(&mut self, address: Address, size: u64) -> String {
        let at = address.offset();
        match address.space() {
            Some(Space::Thread) => format!("T{at}"),
            Some(Space::Pseudo) => pseudo(at).to_owned(),
            Some(Space::Memory | Space::Object) => self.place(at, size),
            None => format!("{address:?}"),
        }
    }

    fn place(&mut self, at: u64, size: u64) -> String {
        if at == 0 {
            return String::new();
        }
        if let Some(variable) = self.modules.iter_mut().find(|m| m.holds(at)).and_then(|m| m.place(at, size)) {
            return variable;
        }
        match at {
            HEAP..HEAP_END => format!("heap {at:#x}"),
            // From the end that all frames begin at.
            STACKS..STACKS_END => {
                let (thread, offset) = ((at - STACKS) / STACK_SPAN, (at - STACKS) % STACK_SPAN);
                format!("stack of T{thread}-{:#x}", STACK_SPAN - offset)
            }
            _ => format!("{at:#x}"),
        }
    }
}

/// A name as its language spells it.
pub fn demangled(name: &str) -> String {
    // Without the prefix a C variable called `m` would read as the mangled name of a type.
    let mangled = name.starts_with("_Z") || name.starts_with("_R");
    if mangled { addr2line::demangle_auto(name.into(), None).into_owned() } else { name.to_owned() }
}

fn pseudo(number: u64) -> &'static str {
    const NAMES: &[(Pseudo, &str)] = &[
        (Pseudo::World, "the outside world"),
        (Pseudo::Random, "the random generator"),
        (Pseudo::Environment, "the environment"),
        (Pseudo::Stdio, "standard streams"),
        (Pseudo::Locale, "the locale"),
        (Pseudo::StaticBuffer, "a static buffer of the C library"),
        (Pseudo::Process, "the process"),
        (Pseudo::ExitHandlers, "the exit handlers"),
        (Pseudo::Signals, "the signal handlers"),
        (Pseudo::Keys, "the keys of thread-specific data"),
        (Pseudo::Heap, "the allocator"),
    ];
    NAMES.iter().find(|(p, _)| *p as u64 == number & 0xff).map_or("hidden state", |(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::{demangled, given, shown};

    #[test]
    fn only_mangled_names_change() {
        assert_eq!(demangled("m"), "m");
        assert_eq!(demangled("_ZN5queue4pushEi"), "queue::push(int)");
    }

    #[test]
    fn what_compilers_add_to_names() {
        let check = |name: &str, own: &str| assert_eq!(given(name), own);
        check("SOLD.0", "SOLD");
        check("SOLD.llvm.8823", "SOLD");
        check("SOLD.0.llvm.8823", "SOLD");
        check("SOLD", "SOLD");
        check("v1.x", "v1.x");
        check(".0", ".0");
    }

    #[test]
    fn names_lose_it_unless_they_would_be_the_same() {
        let mut all: Vec<_> = ["n.0", "n.1", "SOLD.0", "_ZN7tickets4LEFTE.0", "stdout@GLIBC_2.2.5"]
            .into_iter()
            .map(|name| (0, 8, name.to_owned()))
            .collect();
        shown(&mut all);
        let names: Vec<&str> = all.iter().map(|(_, _, name)| name.as_str()).collect();
        assert_eq!(names, ["n.0", "n.1", "SOLD", "tickets::LEFT", "stdout"]);
    }
}
