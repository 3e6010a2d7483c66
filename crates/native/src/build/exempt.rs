//! What is not judged: memory that nobody writes, and functions that are the compiler's, the C++ library's or a test
//! framework's own.

use std::collections::HashSet;

use super::frameworks;

/// Functions the compiler makes up itself: constructors of the unit, and thunks, which read virtual tables.
const MADE_UP: [&str; 8] =
    ["_GLOBAL__", "_sub_I_", "_sub_D_", "tsan.module_", "_ZTv", "_ZTh", "_ZTc", "__clang_call_terminate"];

/// The C++ library's own, which every verdict trusts: it has gaps too, `std::thread::joinable` for one.
const TRUSTED: [&str; 7] = ["_ZNSt", "_ZNKSt", "_ZSt", "_ZN9__gnu_cxx", "_ZZNSt", "_ZZNKSt", "_ZZSt"];

/// Symbols of memory that nobody writes: virtual tables and type information, local constants, and the linker's tables.
pub(super) fn is_constant(symbol: &str, read_only: &HashSet<&str>) -> bool {
    symbol.starts_with(".L")
        || symbol.contains("@GOT")
        || symbol.contains("@TLS")
        || ["_ZTV", "_ZTI", "_ZTS", "_ZTT"].iter().any(|start| symbol.starts_with(start))
        || read_only.contains(symbol)
}

/// Labels that stand in read-only sections.
pub(super) fn read_only_symbols<'t>(lines: &[&'t str]) -> HashSet<&'t str> {
    let mut found = HashSet::new();
    let mut inside = false;
    for line in lines {
        let text = line.trim_start();
        if let Some(rest) = text.strip_prefix(".section") {
            let name = rest.trim().trim_start_matches('"');
            inside = name.starts_with(".rodata") || name.starts_with(".data.rel.ro") || name.starts_with(".lrodata");
        } else if [".text", ".data", ".bss"].iter().any(|name| text.starts_with(name)) {
            inside = false;
        } else if inside
            && let Some((label, _)) = line.split_once(':')
            && !line.starts_with(['\t', ' ', '#'])
        {
            found.insert(label);
        }
    }
    found
}

/// Everything that the unit has a label for, or leaves room for.
pub(super) fn defined_symbols<'t>(lines: &[&'t str]) -> HashSet<&'t str> {
    let labels = lines.iter().filter(|line| !line.starts_with(['\t', ' ', '#', '.']));
    let labels = labels.filter_map(|line| line.split_once(':').map(|(label, _)| label));
    let room = lines.iter().filter_map(|line| {
        let text = line.trim_start();
        let rest = [".comm", ".lcomm", ".local"].iter().find_map(|name| text.strip_prefix(name))?;
        rest.split(',').next().map(str::trim)
    });
    labels.chain(room).collect()
}

/// Functions that are not judged.
pub(super) fn is_exempt(name: &str) -> bool {
    MADE_UP.iter().chain(&TRUSTED).any(|start| name.starts_with(start)) || frameworks::of_symbol(name).is_some()
}
