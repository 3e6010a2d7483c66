//! Which cores the search and its targets run on.
//!
//! Targets stay on one core, and so see the same of the machine in every run; the search comes to it when they take turns, since
//! to wake a sleeper on another core costs more than a run, and goes elsewhere when they work at the same time.

use std::cell::Cell;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Threads that search.
static TAKEN: AtomicUsize = AtomicUsize::new(0);

/// Cores for a thread that searches, and for what it starts: its number among those that do.
#[derive(Clone, Copy)]
pub struct Cores {
    thread: usize,
}

/// Where the searching thread is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// With its targets.
    Home,
    /// Elsewhere.
    Away,
}

thread_local! {
    /// The thread's cores, once it has chosen, and where it is.
    static CHOSEN: Cell<Option<(Cores, Place)>> = const { Cell::new(None) };
}

impl Cores {
    /// Those of the calling thread, which goes home. The first that searches takes the core that it is on, others the ones after
    /// it, as long as there are some.
    pub fn choose() -> Self {
        all(); // as they are before anybody stays anywhere
        let chosen = CHOSEN.get();
        let (cores, _) =
            chosen.unwrap_or_else(|| (Cores { thread: TAKEN.fetch_add(1, Ordering::Relaxed) }, Place::Away));
        CHOSEN.set(Some((cores, chosen.map_or(Place::Away, |(_, place)| place))));
        cores.go(Place::Home);
        cores
    }

    /// The core of the targets.
    pub fn home(self) -> Option<usize> {
        all().get(self.thread % all().len().max(1)).copied()
    }

    /// Another, which no thread that searches has for its home, and none but this one goes to.
    pub fn away(self) -> Option<usize> {
        let index = all().len().checked_sub(1 + self.thread)?;
        (index >= TAKEN.load(Ordering::Relaxed)).then(|| all()[index])
    }

    /// The thread goes there.
    pub fn go(self, place: Place) {
        if CHOSEN.replace(Some((self, place))).is_none_or(|(_, before)| before != place) {
            let core = if place == Place::Home { self.home() } else { self.away() };
            core.into_iter().for_each(stay);
        }
    }
}

/// The cores that may be used, the present one of whoever asks first at the beginning.
fn all() -> &'static [usize] {
    static CORES: OnceLock<Vec<usize>> = OnceLock::new();
    CORES.get_or_init(|| {
        // SAFETY: plain system calls that write to their arguments.
        let (set, now) = unsafe {
            let mut set: libc::cpu_set_t = std::mem::zeroed();
            libc::sched_getaffinity(0, size_of::<libc::cpu_set_t>(), &mut set);
            (set, libc::sched_getcpu())
        };
        // SAFETY: the number is below the size of the set.
        let is_allowed = |core: &usize| unsafe { libc::CPU_ISSET(*core, &set) };
        let mut cores: Vec<usize> = (0..libc::CPU_SETSIZE as usize).filter(is_allowed).collect();
        let at = cores.iter().position(|core| usize::try_from(now) == Ok(*core)).unwrap_or(0);
        cores.rotate_left(at);
        cores
    })
}

/// The calling thread stays on a core. Makes only a system call; if it fails everything works, slower.
pub fn stay(core: usize) {
    // SAFETY: the number is that of a core that there is.
    unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        libc::CPU_SET(core, &mut set);
        libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &set);
    }
}
