//! Findings that the user does not count as bugs: `--allow` (kinds of findings) and `--exit-status`, and the same keys in `gabion.toml`.

use gabion_deepen::{Allow, Kind};
use gabion_native::Resolved;
use gabion_trace::{Plan, Statuses};
use std::str::FromStr;

/// A kind of finding that is no bug: `KIND`, or `KIND@FUNCTION`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Allowed {
    kind: Kind,
    /// Only in functions of such a name.
    function: Option<String>,
}

impl FromStr for Allowed {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (kind, function) = match text.split_once('@') {
            Some((_, "")) => return Err("expected KIND or KIND@FUNCTION".into()),
            Some((kind, function)) => (kind, Some(function.to_string())),
            None => (text, None),
        };
        let known = Kind::ALL.iter().find(|known| known.name() == kind);
        let names = || Kind::ALL.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(", ");
        let kind = *known.ok_or_else(|| format!("`{kind}` is no kind of finding; known are {}", names()))?;
        Ok(Allowed { kind, function })
    }
}

/// An exit status of a list, with spaces around it or not.
pub(crate) fn status(text: &str) -> Result<u8, String> {
    text.trim().parse().map_err(|_| format!("`{}` is no exit status: a number from 0 to 255", text.trim()))
}

/// All that is no bug.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Bearing {
    pub(crate) allow: Vec<Allowed>,
    /// Statuses with which the process may end; none: 0.
    pub(crate) statuses: Vec<u8>,
}

impl Bearing {
    /// With what the command line says: more kinds, and its own statuses if it names any.
    pub(crate) fn with(mut self, allow: &[Allowed], statuses: &[u8]) -> Self {
        self.allow.extend_from_slice(allow);
        if !statuses.is_empty() {
            self.statuses = statuses.to_vec();
        }
        self
    }

    /// The functions that are named, in order.
    pub(crate) fn functions(&self) -> Vec<String> {
        self.allow.iter().filter_map(|allowed| allowed.function.clone()).collect()
    }

    /// For a campaign; `resolved` knows where the functions are.
    pub(crate) fn findings(&self, resolved: &Resolved) -> Vec<Allow> {
        let mut code = resolved.allowed.iter().cloned();
        let mut found = || code.next().expect("internal error: every function was looked up");
        let allow = |allowed: &Allowed| Allow { kind: allowed.kind, code: allowed.function.as_ref().map(|_| found()) };
        self.allow.iter().map(allow).collect()
    }

    /// Puts into a template what runs must know of it.
    pub(crate) fn put_into(&self, template: &mut Plan) {
        let misused_anywhere = |allowed: &Allowed| allowed.kind == Kind::LockMisuse && allowed.function.is_none();
        template.free_held = self.allow.iter().any(misused_anywhere);
        if !self.statuses.is_empty() {
            template.statuses = Statuses::from(self.statuses.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_those_of_the_report() {
        let check = |text: &str, kind, function: Option<&str>| {
            assert_eq!(text.parse(), Ok(Allowed { kind, function: function.map(str::to_string) }));
        };
        check("lock-misuse", Kind::LockMisuse, None);
        check("use-after-free@queue_*", Kind::UseAfterFree, Some("queue_*"));
        check("race@operator@", Kind::Race, Some("operator@"));
        let wrong = "lock-misue".parse::<Allowed>().expect_err("no such kind");
        assert!(wrong.contains("`lock-misue` is no kind") && wrong.contains("lock-misuse, leak, race"), "{wrong}");
        assert!("leak@".parse::<Allowed>().is_err() && "".parse::<Allowed>().is_err());
    }
}
