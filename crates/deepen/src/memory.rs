//! Is memory running low?

/// Share of all memory below which what is left is little.
const LITTLE: u64 = 20;

/// Does the machine have less than a twentieth of its memory left? Unknown is no.
pub fn is_low() -> bool {
    std::fs::read_to_string("/proc/meminfo").is_ok_and(|text| is_little(&text))
}

fn is_little(text: &str) -> bool {
    let of = |name: &str| {
        let line = text.lines().find(|line| line.starts_with(name))?;
        line.split_whitespace().nth(1)?.parse::<u64>().ok()
    };
    of("MemTotal:").zip(of("MemAvailable:")).is_some_and(|(all, left)| left < all / LITTLE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_twentieth_is_little() {
        let text = |left: u64| format!("MemTotal:       24000 kB\nMemFree:   1 kB\nMemAvailable:   {left} kB\n");
        assert!(!is_little(&text(1200)));
        assert!(is_little(&text(1199)));
        assert!(!is_little("MemTotal: many\n"));
    }
}
