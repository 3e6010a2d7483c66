// A file that is made before there are threads, which count in it under a lock: every run finds it as it was made.
// gabion: verdict=complete
use std::sync::Mutex;
use std::{env, fs, process, thread};

static LOCK: Mutex<()> = Mutex::new(());

fn main() {
    let path = env::temp_dir().join(format!("gabion-prepared-{}", process::id()));
    fs::write(&path, "0").unwrap();
    let count = || {
        let _held = LOCK.lock().unwrap();
        let n: u32 = fs::read_to_string(&path).unwrap().parse().unwrap();
        fs::write(&path, (n + 1).to_string()).unwrap();
    };
    thread::scope(|scope| {
        scope.spawn(count);
        scope.spawn(count);
    });
    assert_eq!(fs::read_to_string(&path).unwrap(), "2");
    fs::remove_file(&path).unwrap();
}
