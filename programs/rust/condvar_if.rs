// Two takers, one item, `if` in place of `while`: a taker is woken for what another has taken.
// gabion: verdict=bug kind=panic
use std::sync::{Condvar, Mutex};
use std::thread;

fn main() {
    let (items, more) = (Mutex::new(0), Condvar::new());
    let take = || {
        let mut count = items.lock().unwrap();
        if *count == 0 {
            count = more.wait(count).unwrap();
        }
        assert!(*count > 0);
        *count -= 1;
    };
    thread::scope(|scope| {
        scope.spawn(take);
        scope.spawn(take);
        scope.spawn(|| {
            *items.lock().unwrap() += 1;
            more.notify_all();
            *items.lock().unwrap() += 1;
            more.notify_all();
        });
    });
}
