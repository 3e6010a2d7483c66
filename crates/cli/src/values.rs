//! Values of options: durations, sizes, preemption points, variables.

use gabion_trace::{Point, PointSet};
use std::path::PathBuf;
use std::time::Duration;

/// A budget: a duration, or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Budget(pub(crate) Option<Duration>);

/// A file to write to. `-` is none: of all outputs only the JSON goes to standard output.
pub(crate) fn file(text: &str) -> Result<PathBuf, String> {
    match text {
        "" | "-" => Err("expected the name of a file; only --json - prints to standard output".to_string()),
        _ => Ok(text.into()),
    }
}

/// `10m`, `30s`, `1h`, `none`.
pub(crate) fn budget(text: &str) -> Result<Budget, String> {
    if text == "none" {
        return Ok(Budget(None));
    }
    duration(text).map(|d| Budget(Some(d))).map_err(|why| format!("{why}, or none"))
}

/// `10m`, `30s`, `1h`, `500ms`; a bare number is seconds.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    let wrong = || "expected a time such as 30s, 10m or 1h".to_string();
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let number: f64 = number.parse().map_err(|_| wrong())?;
    let scale = match unit {
        "ms" => 0.001,
        "" | "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        "d" => 86_400.0,
        _ => return Err(wrong()),
    };
    Duration::try_from_secs_f64(number * scale).map_err(|_| wrong())
}

/// `64M`, `1G`, or bytes.
pub(crate) fn size(text: &str) -> Result<u64, String> {
    let wrong = || "expected a size such as 64M or 1G".to_string();
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let shift = match unit.to_ascii_lowercase().trim_end_matches("ib") {
        "" | "b" => 0,
        "k" => 10,
        "m" => 20,
        "g" => 30,
        "t" => 40,
        _ => return Err(wrong()),
    };
    let number: u64 = number.parse().map_err(|_| wrong())?;
    number.checked_mul(1 << shift).filter(|bytes| *bytes > 0).ok_or_else(wrong)
}

/// One of several by its name.
pub(crate) fn named<T: Copy + Sync>(
    names: &'static [(&'static str, T)],
) -> impl Fn(&str) -> Result<T, String> + Clone + Send + Sync + 'static {
    move |text| {
        let found = names.iter().find(|(name, _)| *name == text).map(|(_, value)| *value);
        found.ok_or_else(|| format!("known are {}", names.iter().map(|(n, _)| *n).collect::<Vec<_>>().join(", ")))
    }
}

/// `sync`, `lock,unlock`, `everywhere`.
pub(crate) fn points(text: &str) -> Result<PointSet, String> {
    let mut set = PointSet::VOLUNTARY;
    for name in text.split(',').map(str::trim) {
        set = match Point::NAMES.iter().find(|(known, _)| *known == name) {
            // Everywhere includes all that is finer than nothing: a set with it is the whole set.
            Some((_, Point::Everywhere)) => set.union(PointSet::EVERYWHERE),
            Some((_, point)) => set.with(*point),
            None if name == "sync" => set.union(PointSet::SYNC),
            None => {
                let names: Vec<&str> = std::iter::once("sync").chain(Point::NAMES.iter().map(|(n, _)| *n)).collect();
                return Err(format!("`{name}` is none of {}", names.join(", ")));
            }
        };
    }
    Ok(set)
}

/// `NAME=VALUE`.
pub(crate) fn variable(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_string(), value.to_string())),
        _ => Err("expected NAME=VALUE".to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations() {
        let check = |text, seconds: Option<f64>| {
            assert_eq!(duration(text).ok(), seconds.map(Duration::from_secs_f64), "{text}");
        };
        check("30s", Some(30.0));
        check("10m", Some(600.0));
        check("1.5h", Some(5400.0));
        check("250ms", Some(0.25));
        check("7", Some(7.0));
        check("", None);
        check("-3s", None);
        check("3 weeks", None);
        check("99999999999999999999999h", None);
        assert_eq!(budget("none"), Ok(Budget(None)));
    }

    #[test]
    fn sizes() {
        let check = |text, bytes: Option<u64>| assert_eq!(size(text).ok(), bytes, "{text}");
        check("64M", Some(64 << 20));
        check("1GiB", Some(1 << 30));
        check("4096", Some(4096));
        check("0", None);
        check("lots", None);
        check("99999999999999T", None);
    }

    #[test]
    fn sets_of_points() {
        let check = |text, names: &[&str]| assert_eq!(points(text).expect(text).names(), names);
        check("everywhere", &["everywhere"]);
        check("sync", &["sync"]);
        check("lock, atomic", &["lock", "atomic"]);
        check("voluntary", &["voluntary"]);
        assert!(points("lok").is_err());
        assert_eq!(points("everywhere"), Ok(PointSet::EVERYWHERE));
    }
}
