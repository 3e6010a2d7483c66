//! Ctrl-C: the first asks the campaign to end and report, the second ends the process. SIGTERM and SIGHUP do the same. What was ignored
//! when gabion was started (`nohup`) stays so.

use gabion_native::ignored::Ignored;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

/// Ctrl-C is somebody else's, who reads the terminal.
static LEFT: AtomicBool = AtomicBool::new(false);

/// From here on a debugger has the terminal: Ctrl-C does not end this process.
pub(crate) fn leave_to_debugger() {
    flag();
    LEFT.store(true, Ordering::Relaxed);
}

/// The flag that Ctrl-C (and a request to terminate) raises. There is one for the whole process.
pub(crate) fn flag() -> Arc<AtomicBool> {
    static FLAG: OnceLock<Arc<AtomicBool>> = OnceLock::new();
    let flag = FLAG.get_or_init(|| {
        let flag = Arc::new(AtomicBool::new(false));
        let raised = flag.clone();
        let ignored = Ignored::now();
        // Without a handler Ctrl-C still ends the process; only the report is missing.
        let _ = ctrlc::set_handler(move || {
            if raised.swap(true, Ordering::Relaxed) && !LEFT.load(Ordering::Relaxed) {
                std::process::exit(130);
            }
        });
        ignored.restore();
        flag
    });
    flag.clone()
}
