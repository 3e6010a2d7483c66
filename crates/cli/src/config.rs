//! `gabion.toml`, beside the program: options about scope that hold for every check of it.
//!
//! ```toml
//! within = ["queue_*"]            # or without = [...]; for both, in order:
//! scope = [{ within = "queue_*" }, { without = "queue_grow" }]
//! trust = ["log_*", "lib:stats"]
//! ignore-races = "peek"
//! ignore-symbol = ["hits"]
//! test-locks = ["lock", "unlock"]
//! allow = ["leak", "lock-misuse@queue_*"]
//! exit-status = [0, 6]            # or one number
//! ```

use crate::allow::{Allowed, Bearing};
use anyhow::{Result, anyhow};
use gabion_native::{Rule, Scope};
use serde::Deserialize;
use std::path::Path;

/// The file's name.
const NAME: &str = "gabion.toml";

/// One pattern or several.
#[derive(Debug, Default, Deserialize)]
#[serde(untagged, expecting = "expected a string or a list of strings")]
enum Patterns {
    #[default]
    None,
    One(String),
    Many(Vec<String>),
}

impl Patterns {
    fn list(self) -> Vec<String> {
        match self {
            Patterns::None => Vec::new(),
            Patterns::One(pattern) => vec![pattern],
            Patterns::Many(patterns) => patterns,
        }
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
struct Step {
    within: Option<String>,
    without: Option<String>,
}

impl Step {
    fn rule(self) -> Result<Rule, String> {
        match (self.within, self.without) {
            (Some(pattern), None) => Ok(Rule::Within(pattern)),
            (None, Some(pattern)) => Ok(Rule::Without(pattern)),
            _ => Err("each entry of `scope` has either `within` or `without`; \
                      their order counts, so write one entry for each: [{ within = \"f\" }, { without = \"g\" }]"
                .into()),
        }
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
struct Config {
    within: Patterns,
    without: Patterns,
    scope: Vec<Step>,
    trust: Patterns,
    ignore_races: Patterns,
    ignore_symbol: Patterns,
    test_locks: Patterns,
    allow: Patterns,
    exit_status: Statuses,
}

/// The value of the key `exit-status`: one number, or a list of them.
#[derive(Debug, Default, Deserialize)]
#[serde(untagged, expecting = "expected a number from 0 to 255 or a list of such")]
enum Statuses {
    #[default]
    None,
    One(u8),
    Many(Vec<u8>),
}

impl Statuses {
    fn list(self) -> Vec<u8> {
        match self {
            Statuses::None => Vec::new(),
            Statuses::One(status) => vec![status],
            Statuses::Many(statuses) => statuses,
        }
    }
}

/// What the file beside the program says; nothing if there is none.
pub(crate) fn beside(program: &Path) -> Result<(Scope, Bearing)> {
    let path = program.with_file_name(NAME);
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Default::default()),
        Err(error) => return Err(anyhow!("cannot read {}: {error}", path.display())),
    };
    parse(&text).map_err(|why| anyhow!("{}: {why}", path.display()))
}

fn parse(text: &str) -> Result<(Scope, Bearing), String> {
    let config: Config = toml::from_str(text).map_err(|error| {
        let line = error.span().map(|span| text.bytes().take(span.start).filter(|byte| *byte == b'\n').count() + 1);
        let line = line.map_or(String::new(), |line| format!("line {line}: "));
        format!("{line}{}", error.message().replace('\n', " "))
    })?;
    let (within, without) = (config.within.list(), config.without.list());
    let lists = [!within.is_empty(), !without.is_empty(), !config.scope.is_empty()];
    if lists.into_iter().filter(|given| *given).count() > 1 {
        return Err("only one of `within`, `without` and `scope` may be given; \
                    `scope = [{ within = \"f\" }, { without = \"g\" }]` has an order"
            .into());
    }
    let steps = config.scope.into_iter().map(Step::rule).collect::<Result<Vec<_>, _>>()?;
    let rules = within.into_iter().map(Rule::Within).chain(without.into_iter().map(Rule::Without)).chain(steps);
    let allow: Result<Vec<Allowed>, String> = config.allow.list().iter().map(|kind| kind.parse()).collect();
    let bearing =
        Bearing { allow: allow.map_err(|why| format!("`allow`: {why}"))?, statuses: config.exit_status.list() };
    let scope = Scope {
        rules: rules.collect(),
        trust: config.trust.list(),
        ignore_races: config.ignore_races.list(),
        ignore_symbols: config.ignore_symbol.list(),
        test_locks: config.test_locks.list(),
        allow: Vec::new(),
    };
    Ok((scope, bearing))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_say_what_options_say() {
        let text = r#"
            scope = [{ within = "a" }, { without = "b" }, { within = "c" }]
            trust = "d"
            ignore-races = ["e", "f"]
            ignore-symbol = ["g"]
            test-locks = ["h", "i"]
        "#;
        let (within, without) = (|p: &str| Rule::Within(p.into()), |p: &str| Rule::Without(p.into()));
        let words = |list: &[&str]| list.iter().map(|word| (*word).to_owned()).collect();
        let expected = Scope {
            rules: vec![within("a"), without("b"), within("c")],
            trust: words(&["d"]),
            ignore_races: words(&["e", "f"]),
            ignore_symbols: words(&["g"]),
            test_locks: words(&["h", "i"]),
            allow: Vec::new(),
        };
        assert_eq!(parse(text).map(|(scope, _)| scope), Ok(expected));
        assert_eq!(parse(""), Ok(Default::default()));
        assert_eq!(parse("without = ['b']").map(|(scope, _)| scope.rules), Ok(vec![without("b")]));
        let bearing = |allow: &[&str], statuses: &[u8]| Bearing {
            allow: allow.iter().map(|kind| kind.parse().expect("a kind")).collect(),
            statuses: statuses.to_vec(),
        };
        let both = "allow = ['leak', 'race@f*']\nexit-status = [0, 6]";
        assert_eq!(parse(both).map(|(_, bearing)| bearing), Ok(bearing(&["leak", "race@f*"], &[0, 6])));
        let one = "allow = 'leak'\nexit-status = 6";
        assert_eq!(parse(one).map(|(_, bearing)| bearing), Ok(bearing(&["leak"], &[6])));
    }

    #[test]
    fn mistakes_are_one_line_that_says_where() {
        let check = |text: &str, words: &[&str]| {
            let why = parse(text).expect_err(text);
            assert!(!why.contains('\n'), "{why}");
            words.iter().for_each(|word| assert!(why.contains(word), "{word:?} is not in {why:?}"));
        };
        check("trust = ['a']\nwhitin = ['f']", &["line 2", "whitin", "within"]);
        check("trust = 3", &["line 1", "a string or a list of strings"]);
        check("trust = [", &["line 1"]);
        check("scope = [{ beside = 'f' }]", &["line 1", "beside"]);
        check("scope = [{ within = 'f', without = 'g' }]", &["either `within` or `without`", "one entry for each"]);
        check("allow = ['leek']", &["`allow`", "`leek`", "leak"]);
        check("exit-status = 256", &["line 1", "a number from 0 to 255"]);
        check("scope = [{}]", &["either `within` or `without`"]);
        check("within = 'a'\nwithout = 'b'", &["only one of", "scope ="]);
    }
}
