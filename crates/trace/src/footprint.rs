//! What a step touched.

use crate::Access;

/// The accesses of one step, operations on objects included (as accesses in their space).
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Footprint {
    /// In order of execution.
    pub accesses: Vec<Access>,
}

impl Footprint {
    /// Does some access of one conflict with some access of the other?
    pub fn conflicts(&self, other: &Footprint) -> bool {
        self.accesses.iter().any(|a| other.accesses.iter().any(|b| a.conflicts(b)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AccessKind, Address};
    use proptest::prelude::*;

    fn access() -> impl Strategy<Value = Access> {
        (0u64..32, 0u32..9, 1u8..4).prop_map(|(at, size, kind)| Access {
            address: Address::memory(at),
            size,
            kind: AccessKind(kind),
            pc: 0,
        })
    }

    proptest! {
        #[test]
        fn conflict_is_a_shared_byte_and_a_write(a in access(), b in access()) {
            let bytes = |x: &Access| (x.address.offset()..x.address.offset() + u64::from(x.size)).collect::<Vec<_>>();
            let shared = bytes(&a).iter().any(|x| bytes(&b).contains(x));
            prop_assert_eq!(a.conflicts(&b), shared && (a.kind.writes() || b.kind.writes()));
            prop_assert_eq!(a.conflicts(&b), b.conflicts(&a));
        }
    }

    #[test]
    fn spaces_never_overlap() {
        let of = |address| Access { address, size: 8, kind: AccessKind::WRITE, pc: 0 };
        assert!(!of(Address::memory(64)).conflicts(&of(Address::object(64))));
    }
}
