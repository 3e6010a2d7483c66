//! The functions and variables of a loaded program, found by pattern.
//!
//! A pattern is a name in which `*` stands for any characters and `?` for one. A C++ function goes by its whole name
//! (`queue::push(int)`), by that without parameters (`queue::push`), or by its symbol. `lib:NAME` is everything in a module:
//! `lib:libfoo.so.1`, `lib:libfoo`, `lib:foo`. The C library and the C++ runtime are not part of the program.

use crate::build::is_trusted_library;
use crate::inlined::inlined;
use crate::library::RUNTIME_NAME;
use crate::symbols::{Symbols, demangled};
use cpp_demangle::{DemangleOptions, Symbol};
use gabion_trace::Region;
use object::{Object, ObjectSymbol, SymbolKind};
use wildmatch::WildMatch;

/// Names that are close enough to be meant.
const CLOSE: f64 = 0.7;
/// Near names that are told.
const NEAR: usize = 3;

/// Something with a name and a place in memory.
struct Named {
    names: Vec<String>,
    region: Region,
}

/// What a program consists of.
pub(crate) struct Parts {
    functions: Vec<Named>,
    variables: Vec<Named>,
    modules: Vec<Named>,
}

impl Parts {
    pub(crate) fn of(symbols: &Symbols) -> Parts {
        let mut parts = Parts { functions: Vec::new(), variables: Vec::new(), modules: Vec::new() };
        for (module, slide) in symbols.modules() {
            let file = module.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if is_trusted_library(&file) || file == RUNTIME_NAME {
                continue;
            }
            parts
                .modules
                .push(Named { names: module_names(&file), region: Region { from: module.base, to: module.end } });
            if let Ok(bytes) = std::fs::read(&module.path)
                && let Ok(file) = object::File::parse(&*bytes)
            {
                parts.read(&file, slide);
            }
        }
        parts
    }

    fn read(&mut self, file: &object::File, slide: u64) {
        let moved = |from: u64, to: u64| Region { from: from.wrapping_add(slide), to: to.wrapping_add(slide) };
        for symbol in file.symbols().chain(file.dynamic_symbols()).filter(|s| s.size() > 0 && s.address() != 0) {
            let Ok(name) = symbol.name() else { continue };
            let named = Named {
                names: names(name.split('@').next().unwrap_or(name)),
                region: moved(symbol.address(), symbol.address() + symbol.size()),
            };
            match symbol.kind() {
                SymbolKind::Text => self.functions.push(named),
                SymbolKind::Data => self.variables.push(named),
                _ => {}
            }
        }
        let inlined = inlined(file).into_iter();
        self.functions.extend(inlined.map(|f| Named { names: names(&f.name), region: moved(f.from, f.to) }));
    }

    /// The code that a pattern means; in order, without overlaps. Empty: none.
    pub(crate) fn code(&self, pattern: &str) -> Vec<Region> {
        match pattern.strip_prefix("lib:") {
            Some(module) => matching(&self.modules, module),
            None => matching(&self.functions, pattern),
        }
    }

    /// The memory of the global variables that a pattern means.
    pub(crate) fn data(&self, pattern: &str) -> Vec<Region> {
        matching(&self.variables, pattern)
    }

    /// Names of functions or modules that somebody may have meant.
    pub(crate) fn near_code(&self, pattern: &str) -> Vec<String> {
        match pattern.strip_prefix("lib:") {
            Some(module) => near(&self.modules, module).into_iter().map(|name| format!("lib:{name}")).collect(),
            None => near(&self.functions, pattern),
        }
    }

    /// Names of variables that somebody may have meant.
    pub(crate) fn near_data(&self, pattern: &str) -> Vec<String> {
        near(&self.variables, pattern)
    }
}

/// What a symbol may be called. Compilers put a suffix to parts and copies of a function: `push.cold`, `push.part.0`.
fn names(symbol: &str) -> Vec<String> {
    let plain = symbol.split('.').next().filter(|name| !name.is_empty()).unwrap_or(symbol);
    let mut names = vec![plain.to_owned(), demangled(plain)];
    let short = DemangleOptions::new().no_params().no_return_type();
    let symbol = Symbol::new(plain).ok().filter(|_| plain.starts_with("_Z"));
    let short = symbol.and_then(|symbol| symbol.demangle(&short).ok());
    // `add` means every `add<T>`.
    let plain = short.as_deref().and_then(without_arguments);
    names.extend(short.into_iter().chain(plain));
    names.dedup();
    names
}

/// How many names stand for all of a list.
const NAMED: usize = 3;

/// The first of some names, and how many more there are.
pub(crate) fn listed<'a>(names: impl ExactSizeIterator<Item = &'a str>) -> String {
    let more = names.len().saturating_sub(NAMED);
    let first: Vec<&str> = names.take(NAMED).collect();
    match more {
        0 => first.join(", "),
        more => format!("{} and {more} more", first.join(", ")),
    }
}

/// What people call a function of the C++ library: `std::string::append`.
pub(crate) fn short_name(symbol: &str) -> String {
    let name = match names(symbol).pop() {
        Some(name) if name.contains("operator") => operator(&name),
        name => name.unwrap_or_default(),
    };
    let name = name.split('(').next().unwrap_or(&name).trim().replace("__cxx11::", "");
    name.replace("::basic_", "::")
}

/// An operator's name without the arguments of templates before it or after it.
fn operator(name: &str) -> String {
    let at = name.find("operator").unwrap_or(0);
    let before = without_arguments(&name[..at]).unwrap_or_else(|| name[..at].to_owned());
    let end = name[at..].find(" <").map_or(name.len(), |end| at + end);
    before + &name[at..end]
}

/// A name without the arguments of its templates; None if it has none. Operators (`operator<`) are left as they are.
fn without_arguments(name: &str) -> Option<String> {
    if !name.contains('<') || name.contains("operator") {
        return None;
    }
    let mut depth = 0u32;
    let mut plain = String::new();
    for letter in name.chars() {
        match letter {
            '<' => depth += 1,
            '>' => depth = depth.checked_sub(1)?,
            _ if depth == 0 => plain.push(letter),
            _ => {}
        }
    }
    (depth == 0).then_some(plain)
}

/// `libfoo.so.1`, `libfoo`, `foo`.
fn module_names(file: &str) -> Vec<String> {
    let stem = file.split(".so").next().unwrap_or(file);
    let mut names = vec![file.to_owned(), stem.to_owned(), stem.strip_prefix("lib").unwrap_or(stem).to_owned()];
    names.dedup();
    names
}

fn matching(among: &[Named], pattern: &str) -> Vec<Region> {
    let pattern = WildMatch::new(pattern);
    let found = among.iter().filter(|named| named.names.iter().any(|name| pattern.matches(name)));
    let mut regions: Vec<Region> = found.map(|named| named.region).collect();
    regions.sort_unstable();
    regions.dedup_by(|next, last| {
        let joined = next.from <= last.to;
        if joined {
            last.to = last.to.max(next.to);
        }
        joined
    });
    regions
}

fn near(among: &[Named], pattern: &str) -> Vec<String> {
    let mut close: Vec<(f64, &str)> = Vec::new();
    for named in among {
        // The last is the one that people write.
        let name = named.names.last().map_or("", String::as_str);
        let likeness = strsim::jaro_winkler(&pattern.to_lowercase(), &name.to_lowercase());
        if likeness >= CLOSE && !name.starts_with('_') {
            close.push((likeness, name));
        }
    }
    close.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    close.dedup();
    close.into_iter().take(NEAR).map(|(_, name)| name.to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_go_by_several_names() {
        let check = |symbol: &str, expected: &[&str]| assert_eq!(names(symbol), expected);
        check("push", &["push"]);
        check("push.part.0", &["push"]);
        check("_ZN5queue4pushEi", &["_ZN5queue4pushEi", "queue::push(int)", "queue::push"]);
        check(
            "_ZNK5StackIiE4sizeEv.cold",
            &["_ZNK5StackIiE4sizeEv", "Stack<int>::size() const", "Stack<int>::size", "Stack::size"],
        );
        check(
            "_ZN5queue3addIiEEvT_",
            &["_ZN5queue3addIiEEvT_", "void queue::add<int>(int)", "queue::add<int>", "queue::add"],
        );
    }

    #[test]
    fn modules_go_by_several_names() {
        assert_eq!(module_names("libfoo.so.1"), ["libfoo.so.1", "libfoo", "foo"]);
        assert_eq!(module_names("server"), ["server"]);
    }

    #[test]
    fn patterns_find_regions_and_near_names() {
        let named = |name: &str, from, to| Named { names: names(name), region: Region { from, to } };
        let among = [named("push", 0, 8), named("pull", 16, 24), named("push_all", 8, 16), named("other", 40, 48)];
        let check = |pattern: &str, expected: &[(u64, u64)]| {
            let found: Vec<_> = matching(&among, pattern).iter().map(|r| (r.from, r.to)).collect();
            assert_eq!(found, expected, "{pattern}");
        };
        check("push", &[(0, 8)]);
        check("push*", &[(0, 16)]);
        check("pu??", &[(0, 8), (16, 24)]);
        check("*", &[(0, 24), (40, 48)]);
        check("pus", &[]);
        assert_eq!(near(&among, "pus"), ["push", "push_all", "pull"]);
        assert_eq!(near(&among, "xyzzy"), Vec::<String>::new());
    }
}
