// A forgotten handle keeps its thread's place in the scope, which never ends.
// gabion: verdict=bug kind=deadlock
use std::mem;
use std::thread;

fn main() {
    thread::scope(|scope| {
        mem::forget(scope.spawn(|| ()));
    });
}
