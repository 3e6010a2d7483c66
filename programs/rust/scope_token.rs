// The end of a scope takes no token away that a thread of it left. A scope within a scope, and a handle that another thread drops.
// gabion: verdict=verified
// gabion: args=--preempt everywhere
use std::thread;

fn main() {
    let main = thread::current();
    thread::scope(|scope| {
        let first = scope.spawn(|| thread::scope(|inner| drop(inner.spawn(|| ()))));
        scope.spawn(move || drop(first));
        scope.spawn(move || main.unpark());
    });
    thread::park();
}
