//! Options about scope: which code and data of the program count. The order of `--within` and `--without` matters, among each
//! other too, so it is taken from the command line itself.

use crate::allow::Bearing;
use crate::config;
use anyhow::Result;
use clap::{ArgMatches, Args, Command, FromArgMatches};
use gabion_deepen::Narrowing;
use gabion_native::{Resolved, Rule, Scope};
use std::path::Path;

#[derive(Debug, clap::Args)]
struct Given {
    /// Switch threads only while this function is on the call stack; of several --within and --without that match, the last
    /// counts. F may hold * and ?; lib:NAME is a whole library
    #[arg(long, value_name = "F", help_heading = "Scope")]
    within: Vec<String>,
    /// Do not switch threads while this function is on the call stack
    #[arg(long, value_name = "F", help_heading = "Scope")]
    without: Vec<String>,
    /// Leave out what this function, and what it calls, does to memory; its synchronisation counts
    #[arg(long, value_name = "F", help_heading = "Scope")]
    trust: Vec<String>,
    /// Report no races of this function
    #[arg(long, value_name = "F", help_heading = "Scope")]
    ignore_races: Vec<String>,
    /// Leave out accesses to this global variable
    #[arg(long, value_name = "S", help_heading = "Scope")]
    ignore_symbol: Vec<String>,
    /// These functions are a lock that is itself under test: threads are switched only within, and it is not trusted
    #[arg(long, value_name = "F", value_delimiter = ',', help_heading = "Scope")]
    test_locks: Vec<String>,
}

/// What the command line says about scope.
#[derive(Clone, Debug, Default)]
pub(crate) struct ScopeOptions(Scope);

impl FromArgMatches for ScopeOptions {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let given = Given::from_arg_matches(matches)?;
        let places = |id: &str| matches.indices_of(id).into_iter().flatten().collect::<Vec<_>>();
        let within = places("within").into_iter().zip(given.within.into_iter().map(Rule::Within));
        let without = places("without").into_iter().zip(given.without.into_iter().map(Rule::Without));
        let mut rules: Vec<(usize, Rule)> = within.chain(without).collect();
        rules.sort_by_key(|(place, _)| *place);
        Ok(ScopeOptions(Scope {
            rules: rules.into_iter().map(|(_, rule)| rule).collect(),
            trust: given.trust,
            ignore_races: given.ignore_races,
            ignore_symbols: given.ignore_symbol,
            test_locks: given.test_locks,
            allow: Vec::new(),
        }))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Args for ScopeOptions {
    fn augment_args(command: Command) -> Command {
        Given::augment_args(command)
    }
    fn augment_args_for_update(command: Command) -> Command {
        Given::augment_args_for_update(command)
    }
}

impl ScopeOptions {
    /// With what the `gabion.toml` beside the program says. That comes first, so the command line has the last word; between
    /// the two are the locks under test.
    pub(crate) fn with_config(&self, program: &Path) -> Result<(Scope, Bearing)> {
        let (mut scope, bearing) = config::beside(program)?;
        let own = &self.0;
        scope.test_locks.extend(own.test_locks.iter().cloned());
        scope.rules.extend(scope.test_locks.iter().cloned().map(Rule::Within));
        scope.rules.extend(own.rules.iter().cloned());
        scope.trust.extend(own.trust.iter().cloned());
        scope.ignore_races.extend(own.ignore_races.iter().cloned());
        scope.ignore_symbols.extend(own.ignore_symbols.iter().cloned());
        Ok((scope, bearing))
    }
}

/// For the verdict: what was asked for, as on a command line.
pub(crate) fn narrowing(scope: &Scope, resolved: &Resolved) -> Narrowing {
    let each = |option: &str, patterns: &[String]| patterns.iter().map(|p| format!("{option} {p}")).collect::<Vec<_>>();
    let rules = scope.rules.iter().map(|rule| match rule {
        Rule::Within(pattern) if scope.test_locks.contains(pattern) => format!("--test-locks {pattern}"),
        Rule::Within(pattern) => format!("--within {pattern}"),
        Rule::Without(pattern) => format!("--without {pattern}"),
    });
    let marked = resolved.marked.map(str::to_owned);
    let trusted = [each("--trust", &scope.trust), each("--ignore-symbol", &scope.ignore_symbols)].concat();
    Narrowing {
        sealed: marked.into_iter().chain(rules).collect::<Vec<_>>().join(" "),
        trusted: trusted.join(" "),
        trust: scope.trust.clone(),
        races: each("--ignore-races", &scope.ignore_races).join(" "),
        race_code: resolved.ignore_races.clone(),
    }
}
