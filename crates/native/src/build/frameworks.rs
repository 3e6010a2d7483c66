//! Test frameworks: known by their names, trusted like the C++ library (decision 0015).
//!
//! A framework comes as an archive or shared library of the system, as a library that the project builds, as sources among
//! the program's own, or as a header that is compiled into it. So it is known in four ways: by file, by unit, by the namespace of
//! its functions, by the directory of its headers.

use std::path::Path;

/// How a framework is known.
struct Framework {
    name: &'static str,
    /// Its namespace, as symbols have it.
    namespace: &'static str,
    /// Its archives and shared libraries, without `lib` and what follows the name.
    libraries: &'static [&'static str],
    /// Its own sources, where a program compiles them.
    units: &'static [&'static str],
    /// Parts of the paths of its headers and sources.
    sources: &'static [&'static str],
}

const FRAMEWORKS: [Framework; 2] = [
    Framework {
        name: "Google Test",
        namespace: "7testing",
        libraries: &["gtest", "gtest_main", "gmock", "gmock_main", "gtestd", "gtest_maind", "gmockd", "gmock_maind"],
        units: &["gtest-all.cc", "gtest_main.cc", "gmock-all.cc", "gmock_main.cc"],
        sources: &["/gtest/gtest", "/gtest/internal/", "/gmock/gmock", "/gmock/internal/", "/googletest/src/"],
    },
    Framework {
        name: "Catch2",
        namespace: "5Catch",
        libraries: &["Catch2", "Catch2Main", "Catch2WithMain", "Catch2d", "Catch2Maind"],
        units: &["catch_amalgamated.cpp"],
        sources: &["/catch2/", "/catch.hpp:", "/catch_amalgamated.hpp:"],
    },
];

/// The framework whose archive or shared library has such a name.
pub fn of_library(file: &Path) -> Option<&'static str> {
    let name = file.file_name()?.to_str()?.strip_prefix("lib")?;
    let name = name.strip_suffix(".a").or_else(|| name.split_once(".so").map(|(name, _)| name))?;
    FRAMEWORKS.iter().find(|f| f.libraries.contains(&name)).map(|f| f.name)
}

/// The framework that is compiled in such a unit.
pub(super) fn of_unit(source: &str) -> Option<&'static str> {
    let file = source.rsplit('/').next()?;
    FRAMEWORKS.iter().find(|f| f.units.contains(&file)).map(|f| f.name)
}

/// The framework in whose namespace a symbol is.
pub(super) fn of_symbol(symbol: &str) -> Option<&'static str> {
    let rest = symbol.strip_prefix("_Z")?;
    let at = rest.find(|letter: char| !letter.is_ascii_uppercase())?;
    let (kind, name) = rest.split_at(at);
    let nested = kind.ends_with('N') || kind.ends_with("NK");
    FRAMEWORKS.iter().find(|f| nested && name.starts_with(f.namespace)).map(|f| f.name)
}

/// Is a place (`file:line …`) in a header or source of a framework?
pub(super) fn is_source(place: &str) -> bool {
    FRAMEWORKS.iter().any(|f| f.sources.iter().any(|part| place.contains(part)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frameworks_are_known_by_file() {
        let check = |file: &str, expected: Option<&str>| assert_eq!(of_library(Path::new(file)), expected, "{file}");
        check("/usr/lib/x86_64-linux-gnu/libgtest.a", Some("Google Test"));
        check("build/lib/libgmock_maind.a", Some("Google Test"));
        check("libgtest.so.1.12.1", Some("Google Test"));
        check("libCatch2WithMain.a", Some("Catch2"));
        check("libqueue.a", None);
        check("gtest.a", None);
        check("libgtest_of_mine.a", None);
    }

    #[test]
    fn frameworks_are_known_by_symbol() {
        let check = |symbol: &str, expected: Option<&str>| assert_eq!(of_symbol(symbol), expected, "{symbol}");
        check("_ZN7testing8internal12AssertHelperD1Ev", Some("Google Test"));
        check("_ZNK7testing4Test7nothingEv", Some("Google Test"));
        check("_ZTVN7testing4TestE", Some("Google Test"));
        check("_ZZN5Catch10Generators5closeEvENKUlvE_clEv", Some("Catch2"));
        check("_Z7testingv", None);
        check("_ZN17Counter_Lost_Test8TestBodyEv", None);
        check("_ZNSt6vectorIN5Catch8TestCaseESaIS1_EE9push_backERKS1_", None);
        check("_ZN4mine7testing4stepEv", None);
    }
}
