//! Where in the source a line of LLVM's intermediate language stands: `!dbg !7` names a line and a scope, which names a file.

use std::collections::HashMap;

/// Scopes within scopes, and functions within functions, that are followed.
const MOST: usize = 64;

/// The numbered descriptions at the end of a module.
pub(super) struct Debug<'t>(HashMap<&'t str, &'t str>);

impl<'t> Debug<'t> {
    pub(super) fn of(text: &'t str) -> Debug<'t> {
        let described = text.lines().filter_map(|line| line.strip_prefix('!')?.split_once(" = "));
        Debug(described.filter(|(_, what)| what.contains("!DI")).collect())
    }

    /// `x.rs:12`: of functions made part of others, the line in the first that is not the standard library's.
    pub(super) fn place(&self, line: &str) -> Option<String> {
        let mut location = self.described(line.rsplit_once("!dbg !")?.1)?;
        let mut found = None;
        for _ in 0..MOST {
            let (place, is_library) = self.stands(location)?;
            if !is_library {
                return Some(place);
            }
            found = found.or(Some(place));
            let Some(outer) = self.field(location, "inlinedAt: !") else { break };
            location = outer;
        }
        found
    }

    /// The place of one location, and whether it is in the standard library.
    fn stands(&self, location: &str) -> Option<(String, bool)> {
        let mut scope = self.field(location, "scope: !")?;
        for _ in 0..MOST {
            let Some(file) = self.field(scope, "file: !") else {
                scope = self.field(scope, "scope: !")?;
                continue;
            };
            let name = file.split_once("filename: \"")?.1.split('"').next()?;
            let name = name.rsplit('/').next().unwrap_or(name);
            let place = format!("{name}:{}", number(location.split_once("line: ")?.1));
            return Some((place, file.contains("/rustc/")));
        }
        None
    }

    /// The description that a field refers to.
    fn field(&self, what: &str, name: &str) -> Option<&'t str> {
        self.described(what.split_once(name)?.1)
    }

    fn described(&self, at: &str) -> Option<&'t str> {
        self.0.get(number(at)).copied()
    }
}

/// The digits that a text begins with.
fn number(text: &str) -> &str {
    &text[..text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len())]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_found_through_what_was_made_part_of_it() {
        let text = "!0 = !DIFile(filename: \"/rustc/9/library/y.rs\", directory: \"\")\n\
                    !1 = !DIFile(filename: \"src/x.rs\", directory: \"/d\")\n\
                    !2 = distinct !DISubprogram(name: \"f\", scope: !9, file: !1, line: 3)\n\
                    !3 = !DILexicalBlock(scope: !2, file: !1, line: 4, column: 1)\n\
                    !4 = !DILocation(line: 12, column: 5, scope: !3)\n\
                    !5 = !DILocation(line: 700, column: 5, scope: !7, inlinedAt: !4)\n\
                    !7 = distinct !DISubprogram(name: \"g\", scope: !9, file: !0, line: 3)\n\
                    !8 = distinct !DILocation(line: 800, column: 5, scope: !7)\n\
                    !10 = !DILocation(line: 13, column: 5, scope: !3, inlinedAt: !8)";
        let debug = Debug::of(text);
        let check = |line: &str, expected: Option<&str>| assert_eq!(debug.place(line).as_deref(), expected, "{line}");
        check("  call void @f(ptr %p), !dbg !4", Some("x.rs:12"));
        check("  call void @f(ptr %p), !dbg !5, !noalias !8", Some("x.rs:12"));
        check("  call void @f(ptr %p), !dbg !10", Some("x.rs:13"));
        check("  call void @f(ptr %p), !dbg !8", Some("y.rs:800"));
        check("  call void @f(ptr %p), !dbg !6", None);
        check("  call void @f(ptr %p)", None);
    }
}
