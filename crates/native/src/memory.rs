//! Our side of the memory shared with the program under test.
//!
//! The program can overwrite any of it at any time, so everything is copied out before it is looked at, and lengths are
//! checked before they are believed.

use crate::process::Output;
use crate::program::Ends;
use gabion_trace::shared::{self, CONTROL_FD, Control, MAGIC, ResetMode, Stage, TRACE_RECORDS, TraceHead};
use gabion_trace::{DecodeError, EncodeError, FORMAT_VERSION, Plan, Rec, Trace, decode, encode};
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// The mapping.
pub struct SharedMemory {
    base: *mut u8,
    file: OwnedFd,
    /// Memory for a copy of a slot's records.
    records: Vec<Rec>,
}

// SAFETY: the pointer is to a mapping that this value owns.
unsafe impl Send for SharedMemory {}

impl SharedMemory {
    /// New memory, ready to be given to a program.
    pub fn new(mode: ResetMode, output: Output, ends: Ends) -> io::Result<Self> {
        // SAFETY: plain system calls; results are checked.
        unsafe {
            let fd = libc::memfd_create(c"gabion".as_ptr(), libc::MFD_CLOEXEC);
            if fd < 0 {
                return Err(io::Error::last_os_error());
            }
            let file = OwnedFd::from_raw_fd(fd);
            if libc::ftruncate(fd, shared::TOTAL as i64) != 0 {
                return Err(io::Error::last_os_error());
            }
            let flags = libc::MAP_SHARED | libc::MAP_NORESERVE;
            let protection = libc::PROT_READ | libc::PROT_WRITE;
            let base = libc::mmap(std::ptr::null_mut(), shared::TOTAL, protection, flags, fd, 0);
            if base == libc::MAP_FAILED {
                return Err(io::Error::last_os_error());
            }
            let memory = SharedMemory { base: base.cast(), file, records: Vec::new() };
            let control = memory.control();
            (*control).magic = MAGIC;
            (*control).version = FORMAT_VERSION;
            (*control).mode = mode as u32;
            (*control).ends = u32::from(ends == Ends::Seen);
            (*control).discard = u32::from(output == Output::Discard);
            Ok(memory)
        }
    }

    /// The descriptor that the program is to find under [`CONTROL_FD`].
    pub fn descriptor(&self) -> RawFd {
        self.file.as_raw_fd()
    }

    fn control(&self) -> *mut Control {
        self.base.cast()
    }

    fn word(&self, field: impl Fn(*mut Control) -> *const AtomicU32) -> &AtomicU32 {
        // SAFETY: a word of the control page, which stays mapped as long as `self`.
        unsafe { &*field(self.control()) }
    }

    fn request(&self) -> &AtomicU32 {
        // SAFETY: only the address of a field is taken.
        self.word(|c| unsafe { &raw const (*c).request })
    }
    fn response(&self) -> &AtomicU32 {
        // SAFETY: only the address of a field is taken.
        self.word(|c| unsafe { &raw const (*c).response })
    }

    /// The slot that runs now.
    pub fn current(&self) -> usize {
        // SAFETY: only the address of a field is taken.
        self.word(|c| unsafe { &raw const (*c).current }).load(Ordering::Relaxed) as usize % shared::SLOTS
    }
    /// The target says that it cannot work.
    pub fn has_failed(&self) -> bool {
        // SAFETY: only the address of a field is taken.
        self.word(|c| unsafe { &raw const (*c).stage }).load(Ordering::Acquire) == Stage::Failed as u32
    }
    /// The target's runtime has taken over.
    pub fn has_started(&self) -> bool {
        // SAFETY: only the address of a field is taken.
        self.word(|c| unsafe { &raw const (*c).stage }).load(Ordering::Acquire) != Stage::Starting as u32
    }
    /// Bytes that a reset restores, and whether large mappings are tracked.
    pub fn reset_cost(&self) -> (u32, bool) {
        // SAFETY: plain words of the control page.
        unsafe { ((*self.control()).reset_bytes, (*self.control()).tracking != 0) }
    }

    /// Lays a plan into a slot.
    pub fn put(&mut self, slot: usize, plan: &Plan) -> Result<(), EncodeError> {
        // SAFETY: the slot's plan part; the target reads it only after the request.
        unsafe {
            let records = self.base.add(shared::plan_offset(slot)).cast::<Rec>();
            let records = std::slice::from_raw_parts_mut(records, shared::PLAN_RECORDS);
            let slot = &mut (*self.control()).slots[slot];
            slot.trace.id = !plan.id.0;
            slot.trace.ending = 0;
            slot.trace.records = 0;
            slot.trace.choices = 0;
            slot.trace.threads = 0;
            encode(plan, &mut slot.plan, records)
        }
    }

    /// Asks for the first `plans` slots to be run.
    pub fn ask(&mut self, plans: usize) {
        // SAFETY: the target reads it only after the request.
        unsafe { (*self.control()).plans = plans as u32 };
        let request = self.request();
        request.fetch_add(1, Ordering::Release);
        futex(request, libc::FUTEX_WAKE, 1, None);
    }

    /// Tells the target to end.
    pub fn stop(&mut self) {
        // SAFETY: as for `ask`.
        unsafe { (*self.control()).stop = 1 };
        self.ask(0);
    }

    /// Has the last request been answered?
    pub fn answered(&self) -> bool {
        self.response().load(Ordering::Acquire) == self.request().load(Ordering::Relaxed)
    }

    /// Waits for the answer, at most this long.
    pub fn wait(&self, limit: Duration) -> bool {
        let wanted = self.request().load(Ordering::Relaxed);
        let seen = self.response().load(Ordering::Acquire);
        if seen != wanted {
            futex(self.response(), libc::FUTEX_WAIT, seen, Some(limit));
        }
        self.answered()
    }

    /// A slot's fixed part.
    pub fn head(&self, slot: usize) -> TraceHead {
        // SAFETY: plain data; a copy, torn at worst.
        unsafe { std::ptr::read_volatile(&raw const (*self.control()).slots[slot].trace) }
    }

    /// The message that a slot's fixed part counts.
    pub fn text(&self, slot: usize, head: &TraceHead) -> String {
        let length = usize::from(head.text_len).min(shared::TEXT);
        if length == 0 {
            return String::new();
        }
        // SAFETY: plain bytes of the slot; a copy.
        let bytes = unsafe { std::ptr::read_volatile(&raw const (*self.control()).slots[slot].text) };
        String::from_utf8_lossy(&bytes[..length]).into_owned()
    }

    /// The trace in a slot.
    pub fn take(&mut self, slot: usize, memory: Option<Trace>) -> Result<Trace, DecodeError> {
        let head = self.head(slot);
        self.decode(slot, &head, memory)
    }

    /// The records in a slot, under a fixed part of the caller's.
    pub fn decode(&mut self, slot: usize, head: &TraceHead, memory: Option<Trace>) -> Result<Trace, DecodeError> {
        let count = head.records as usize;
        if count > TRACE_RECORDS {
            return Err(DecodeError::Nonsense("length"));
        }
        self.records.clear();
        self.records.reserve(count);
        // SAFETY: inside the slot's trace part; copied before anything is decided from it.
        unsafe {
            let from = self.base.add(shared::trace_offset(slot)).cast::<Rec>();
            std::ptr::copy_nonoverlapping(from, self.records.as_mut_ptr(), count);
            self.records.set_len(count);
        }
        let text = self.text(slot, head);
        decode(head, text.as_bytes(), &mut self.records, memory)
    }
}

impl Drop for SharedMemory {
    fn drop(&mut self) {
        // SAFETY: mapped by `new`, not used afterwards.
        unsafe { libc::munmap(self.base.cast(), shared::TOTAL) };
    }
}

fn futex(word: &AtomicU32, operation: i32, value: u32, limit: Option<Duration>) {
    let limit = limit.map(|d| libc::timespec { tv_sec: d.as_secs() as i64, tv_nsec: i64::from(d.subsec_nanos()) });
    let pointer = limit.as_ref().map_or(std::ptr::null(), std::ptr::from_ref);
    // SAFETY: the word outlives the call; so does the time.
    unsafe { libc::syscall(libc::SYS_futex, word.as_ptr(), operation, value, pointer) };
}

/// For the child, between fork and exec: the memory under its agreed descriptor.
pub fn install(descriptor: RawFd) -> io::Result<()> {
    // SAFETY: async-signal-safe.
    if unsafe { libc::dup2(descriptor, CONTROL_FD) } < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}
