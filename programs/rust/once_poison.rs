// A closure that panics poisons its once; who forces it runs it again.
// gabion: verdict=verified
use std::sync::Once;
use std::thread;

static ONCE: Once = Once::new();

fn main() {
    let thread = thread::spawn(|| ONCE.call_once(|| panic!("not now")));
    assert!(thread.join().is_err());
    ONCE.call_once_force(|state| assert!(state.is_poisoned()));
    ONCE.call_once(|| unreachable!());
}
