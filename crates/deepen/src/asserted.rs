//! The expression of a failed assertion, as far as the failure says it, and the variables that it names.
//!
//! Deliberately missed: expressions with macros, with calls of functions other than loads of atomics, and those of
//! `assert_eq!`, which its failure does not say.

/// What stands before and after the expression: of C and C++, of Rust.
const SAID: [(&str, &str); 2] = [("Assertion `", "' failed"), ("assertion failed: ", "")];

/// Words that are no variables: they are the language's, or load an atomic.
const WORDS: [&str; 28] = [
    "NULL",
    "Ordering",
    "SeqCst",
    "Acquire",
    "Relaxed",
    "_Bool",
    "and",
    "as",
    "atomic_load",
    "atomic_load_explicit",
    "bool",
    "char",
    "double",
    "false",
    "float",
    "i32",
    "i64",
    "int",
    "long",
    "not",
    "nullptr",
    "or",
    "short",
    "sizeof",
    "true",
    "u32",
    "u64",
    "unsigned",
];

/// The variables that a failing expression names.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Asserted {
    names: Vec<String>,
    /// What it asks for may be another variable than those it names: what a pointer points to.
    pub(crate) indirect: bool,
}

impl Asserted {
    /// Of what a failure says, if that is an expression that names all it depends on.
    pub(crate) fn of(message: &str) -> Option<Asserted> {
        let said = |(before, after): &(&str, &str)| {
            let (_, text) = message.split_once(before)?;
            if after.is_empty() { text.lines().next() } else { text.rsplit_once(after).map(|(text, _)| text) }
        };
        let text = without_literals(SAID.iter().find_map(said)?);
        let mut names: Vec<String> = Vec::new();
        let mut rest = text.as_str();
        while let Some(start) = rest.find(|c: char| c.is_alphanumeric() || c == '_') {
            let (before, word) = rest.split_at(start);
            let end = word.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(word.len());
            let (word, after) = word.split_at(end);
            rest = after;
            let is_member = before.ends_with('.') || before.ends_with("->");
            let is_load = word == "load" && is_member && after.starts_with('(');
            let is_language = is_load
                || word.starts_with(|c: char| c.is_ascii_digit())
                || WORDS.contains(&word)
                || ["memory_order_", "__atomic_load", "__ATOMIC_"].iter().any(|begins| word.starts_with(begins));
            match after.trim_start() {
                _ if is_language => {}
                // What a function or a macro asks for is not said.
                after if after.starts_with('(') || after.starts_with('!') && !after.starts_with("!=") => return None,
                _ if is_member => {}
                // A part of a path: its last part is the variable.
                after if after.starts_with("::") => {}
                _ if names.iter().any(|known| known == word) => {}
                _ => names.push(word.to_string()),
            }
        }
        let indirect = text.contains("->") || text.contains('*') || text.contains('[');
        (!names.is_empty()).then_some(Asserted { names, indirect })
    }

    /// Does it name a variable?
    pub(crate) fn names(&self, variable: &str) -> bool {
        self.names.iter().any(|name| name == last(variable))
    }

    /// Does it name nothing but some of these variables?
    pub(crate) fn is_within<'a>(&self, variables: impl Iterator<Item = &'a str>) -> bool {
        let known: Vec<&str> = variables.map(last).collect();
        self.names.iter().all(|name| known.contains(&name.as_str()))
    }
}

/// The last part of a variable's path.
fn last(variable: &str) -> &str {
    variable.rsplit("::").next().unwrap_or(variable)
}

/// The text without what stands between quotation marks.
fn without_literals(text: &str) -> String {
    let mut out = String::new();
    let mut within = false;
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' if within => _ = chars.next(),
            '"' => within = !within,
            c if !within => out.push(c),
            _ => {}
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::Asserted;

    #[test]
    fn an_expression_names_its_variables_or_is_not_known() {
        let check = |message: &str, names: &[&str]| {
            let found = Asserted::of(message).map(|asserted| asserted.names);
            assert_eq!(found.unwrap_or_default(), names, "{message}");
        };
        let said = |expression: &str| format!("a.c:6: main: Assertion `{expression}' failed.");
        check(&said("stock >= 0"), &["stock"]);
        check(&said("a == b && a < 0x1f"), &["a", "b"]);
        check(&said("atomic_load(&a) != (unsigned long)b"), &["a", "b"]);
        check(&said("__atomic_load_n(&a, __ATOMIC_SEQ_CST) == 1 && \"b is (c)\""), &["a"]);
        check(&said("p->count == q.count[2]"), &["p", "q"]);
        check(&said("Desk::count.load() == 2"), &["count"]);
        check(&said("load <= capacity"), &["load", "capacity"]);
        check(&said("get(a) == 2"), &[]);
        check(&said("1 == 2"), &[]);
        check("panicked: assertion failed: COUNT.load(Ordering::SeqCst) == 2", &["COUNT"]);
        check("panicked: assertion failed: matches!(x, 3)", &[]);
        check("panicked: assertion `left == right` failed, left: 1, right: 2", &[]);
        check("an exception was not caught: std::logic_error: stock", &[]);
    }

    #[test]
    fn what_pointers_point_to_is_not_named() {
        let is_indirect = |text: &str| Asserted::of(&format!("Assertion `{text}' failed")).is_some_and(|a| a.indirect);
        assert!(is_indirect("current->ok") && is_indirect("*current == 1") && is_indirect("all[i] == 1"));
        assert!(!is_indirect("a.b == c"));
    }

    #[test]
    fn a_variable_is_named_by_the_last_part_of_its_path() {
        let asserted = Asserted::of("Assertion `s == t' failed").expect("it is one");
        assert!(asserted.names("get(int)::s") && !asserted.names("st"));
        assert!(asserted.is_within(["t", "u", "a::s"].into_iter()) && !asserted.is_within(["s"].into_iter()));
    }
}
