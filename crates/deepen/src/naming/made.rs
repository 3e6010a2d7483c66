//! What a step's first access met and left.

use super::number;
use gabion_trace::Access;

/// An access that was made, with the values before and after it, as far as they are known.
#[derive(Clone, Copy)]
pub(super) struct Made {
    pub(super) access: Access,
    pub(super) met: Option<u64>,
    pub(super) left: Option<u64>,
    pub(super) event: usize,
}

impl Made {
    /// `is 1`, `was 1`, `1 -> 2`.
    pub(super) fn values(&self) -> Option<String> {
        let size = Some(self.access.size).filter(|size| (1..=8).contains(size))?;
        let shown = |value: u64| number(value, size);
        let left = self.left.filter(|_| self.access.kind.writes()).map(shown);
        Some(match (self.met.map(shown)?, left) {
            (met, Some(left)) if met != left => format!("{met} -> {left}"),
            (met, _) if self.access.kind.writes() => format!("was {met}"),
            (met, _) => format!("is {met}"),
        })
    }
}
