//! What the options about scope mean in a loaded program: from names to addresses.

use crate::Native;
use crate::functions::Parts;
use crate::symbols::Symbols;
use gabion_trace::{Coverage, Ending, Plan, PointSet, Region, Seal};

/// Where threads may be switched, by who is on the call stack. The last rule that matches decides (thesis §3.4.1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rule {
    /// Only while such a function is on the stack.
    Within(String),
    /// Not while such a function is on the stack.
    Without(String),
}

/// What is asked for, by patterns of names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scope {
    /// In order.
    pub rules: Vec<Rule>,
    /// Functions whose plain accesses, and those of what they call, are left out.
    pub trust: Vec<String>,
    /// Functions whose races are left out.
    pub ignore_races: Vec<String>,
    /// Functions in which findings are no bugs, one for each that names a function.
    pub allow: Vec<String>,
    /// Global variables to which accesses are left out.
    pub ignore_symbols: Vec<String>,
    /// Functions of a lock that is itself under test: not trusted, whatever `trust` says.
    pub test_locks: Vec<String>,
}

/// The same by addresses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Resolved {
    /// For plans.
    pub seals: Vec<Seal>,
    /// For plans.
    pub trusted: Vec<Region>,
    /// For plans.
    pub ignored: Vec<Region>,
    /// Code whose accesses take part in no race that is reported.
    pub ignore_races: Vec<Region>,
    /// Code in which findings are no bugs, in the order of the names.
    pub allowed: Vec<Vec<Region>>,
    /// The program marks scopes of its own: with what.
    pub marked: Option<&'static str>,
}

/// A pattern that means nothing.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{option} {pattern}: no {what} of the program has such a name{}", near_words(.near))]
pub struct ScopeError {
    option: &'static str,
    pattern: String,
    what: &'static str,
    near: Vec<String>,
}

fn near_words(near: &[String]) -> String {
    if near.is_empty() { String::new() } else { format!("; near: {}", near.join(", ")) }
}

impl Native {
    /// What the options about scope mean for this program.
    pub fn resolve(&mut self, scope: &Scope) -> Result<Resolved, ScopeError> {
        let words = if self.image().is_rust { "gabion::within" } else { "GABION_WITHIN" };
        let marked = self.comes_upon_scopes().then_some(words);
        let symbols = self.known_symbols();
        scope.resolve(symbols, marked)
    }

    /// Does the program's first run enter a scope that the program marks? Of a binary with many tests only those are narrowed that
    /// do. Who enters one in other runs alone is not narrowed, which hides nothing. A run that cannot be made says
    /// nothing: the campaign tells why.
    fn comes_upon_scopes(&mut self) -> bool {
        if !self.image().marks_scopes {
            return false;
        }
        let first = Plan { points: PointSet::VOLUNTARY, ..Plan::default() };
        let lost = [Ending::Died, Ending::Hung, Ending::Scribbled];
        let first = self.confirm_until(&first, self.launch().deadline);
        first.map_or(true, |(trace, _)| trace.coverage.has(Coverage::MARKED) || lost.contains(&trace.outcome.ending))
    }

    /// Which of these functions the program has.
    pub fn functions_of<'n>(&self, names: &[&'n str]) -> Vec<&'n str> {
        let symbols = self.known_symbols();
        let parts = Parts::of(symbols);
        names.iter().copied().filter(|name| !parts.code(name).is_empty()).collect()
    }
}

impl Scope {
    pub(crate) fn resolve(&self, symbols: &Symbols, marked: Option<&'static str>) -> Result<Resolved, ScopeError> {
        let mut resolved = Resolved { marked, ..Resolved::default() };
        if marked.is_some() {
            resolved.seals.push(Seal::MARKED);
        }
        if *self == Scope::default() {
            return Ok(resolved);
        }
        let parts = Parts::of(symbols);
        let code = |option, pattern: &String| match parts.code(pattern) {
            found if !found.is_empty() => Ok(found),
            _ => {
                let what = if pattern.starts_with("lib:") { "module" } else { "function" };
                Err(ScopeError { option, pattern: pattern.clone(), what, near: parts.near_code(pattern) })
            }
        };
        let mut locks = Vec::new();
        for pattern in &self.test_locks {
            locks.extend(code("--test-locks", pattern)?);
        }
        for rule in &self.rules {
            let (option, pattern, allow) = match rule {
                Rule::Within(pattern) => ("--within", pattern, true),
                Rule::Without(pattern) => ("--without", pattern, false),
            };
            let seal = |region: Region| Seal { from: region.from, to: region.to, allow };
            resolved.seals.extend(code(option, pattern)?.into_iter().map(seal));
        }
        for pattern in &self.trust {
            resolved.trusted.extend(code("--trust", pattern)?);
        }
        for pattern in &self.ignore_races {
            resolved.ignore_races.extend(code("--ignore-races", pattern)?);
        }
        for pattern in &self.allow {
            resolved.allowed.push(code("--allow", pattern)?);
        }
        for lock in locks {
            resolved.trusted = resolved.trusted.iter().flat_map(|region| without(*region, lock)).collect();
        }
        for pattern in &self.ignore_symbols {
            let found = parts.data(pattern);
            if found.is_empty() {
                let near = parts.near_data(pattern);
                let (option, what) = ("--ignore-symbol", "variable");
                return Err(ScopeError { option, pattern: pattern.clone(), what, near });
            }
            resolved.ignored.extend(found);
        }
        Ok(resolved)
    }
}

/// What is left of a region when another is taken out of it.
fn without(region: Region, other: Region) -> impl Iterator<Item = Region> {
    let before = Region { from: region.from, to: region.to.min(other.from) };
    let after = Region { from: region.from.max(other.to), to: region.to };
    [before, after].into_iter().filter(|r| r.from < r.to)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_region_without_another() {
        let check = |region: (u64, u64), other: (u64, u64), expected: &[(u64, u64)]| {
            let of = |(from, to)| Region { from, to };
            let left: Vec<_> = without(of(region), of(other)).map(|r| (r.from, r.to)).collect();
            assert_eq!(left, expected);
        };
        check((0, 10), (3, 5), &[(0, 3), (5, 10)]);
        check((0, 10), (0, 10), &[]);
        check((0, 10), (20, 30), &[(0, 10)]);
        check((20, 30), (0, 10), &[(20, 30)]);
        check((0, 10), (5, 20), &[(0, 5)]);
    }
}
