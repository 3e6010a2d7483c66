//! Our side of the memory shared with the program under test.
//!
//! The program can overwrite any of it at any time, so everything is copied out before it is looked at, and lengths are
//! checked before they are believed.

use crate::ahead::Way;
use crate::process::Output;
use crate::program::{Ends, Image};
use gabion_trace::shared::{self, CONTROL_FD, Control, MAGIC, ResetMode, Stage, TRACE_RECORDS, TraceHead};
use gabion_trace::{Coverage, DecodeError, EncodeError, Ending, FORMAT_VERSION, Plan, Rec, Trace, decode, encode};
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::sync::atomic::{AtomicU32, Ordering, fence};
use std::time::Duration;

/// What is asked of the target at once.
#[derive(Clone, Copy)]
pub struct Request {
    /// The first plan's slot; those of the others follow.
    pub first: usize,
    pub plans: usize,
    /// The one plan begins as the run that the target has begun by itself.
    pub goes_on: bool,
    /// How often to look for what comes next before sleeping.
    pub looks: u32,
}

/// The mapping.
pub struct SharedMemory {
    base: *mut u8,
    file: OwnedFd,
    /// Memory for a copy of a slot's records, and the slot that they are from if they are the first of a run that goes on.
    records: Vec<Rec>,
    begun: Option<usize>,
}

// SAFETY: the pointer is to a mapping that this value owns.
unsafe impl Send for SharedMemory {}

impl SharedMemory {
    /// New memory, ready to be given to a program.
    pub fn new(mode: ResetMode, output: Output, image: &Image) -> io::Result<Self> {
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
            let memory = SharedMemory { base: base.cast(), file, records: Vec::new(), begun: None };
            let control = memory.control();
            (*control).magic = MAGIC;
            (*control).version = FORMAT_VERSION;
            (*control).mode = mode as u32;
            (*control).ends = u32::from(image.ends == Ends::Seen);
            for (to, slot) in (*control).watched.iter_mut().zip(image.watched_calls()) {
                *to = slot;
            }
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
        self.word(|c| unsafe { &raw const (*c).asked.request })
    }
    fn response(&self) -> &AtomicU32 {
        // SAFETY: only the address of a field is taken.
        self.word(|c| unsafe { &raw const (*c).answered.response })
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

    /// Lays a plan into a slot. A target that has begun its run already (see [`Request::goes_on`]) counts what it has recorded.
    pub fn put(&mut self, slot: usize, plan: &Plan, goes_on: bool, way: Way) -> Result<(), EncodeError> {
        // SAFETY: the slot's plan part; the target reads it only after the request.
        unsafe {
            let records = self.base.add(shared::plan_offset(slot)).cast::<Rec>();
            let records = std::slice::from_raw_parts_mut(records, shared::PLAN_RECORDS);
            let slot = &mut (*self.control()).slots[slot];
            slot.trace.id = !plan.id.0;
            if !goes_on {
                slot.trace.ending = 0;
                slot.trace.records = 0;
                slot.trace.choices = 0;
                slot.trace.threads = 0;
            }
            encode(plan, &mut slot.plan, records)?;
            if way == Way::Together {
                slot.plan.ahead = 0;
            }
            Ok(())
        }
    }

    /// After the first request the target ends.
    pub fn only_once(&mut self) {
        // SAFETY: a plain word, which the target reads only after the request.
        unsafe { (*self.control()).once = 1 };
    }

    /// Asks for plans to be run.
    pub fn ask(&mut self, asked: Request) {
        // SAFETY: plain words, which the target reads only after the request.
        unsafe {
            let to = &mut (*self.control()).asked;
            (to.first, to.plans, to.looks) = (asked.first as u32, asked.plans as u32, asked.looks);
            to.goes_on = u32::from(asked.goes_on);
        }
        let request = self.request();
        request.fetch_add(1, Ordering::Release);
        // The target sees the request, or else we see that it sleeps.
        fence(Ordering::SeqCst);
        // SAFETY: only the address of a field is taken.
        if self.word(|c| unsafe { &raw const (*c).answered.asleep }).load(Ordering::Relaxed) != 0 {
            futex(request, libc::FUTEX_WAKE, 1, None);
        }
    }

    /// Tells the target to end.
    pub fn stop(&mut self) {
        // SAFETY: as for `ask`.
        unsafe { (*self.control()).asked.stop = 1 };
        self.ask(Request { first: 0, plans: 0, goes_on: false, looks: 0 });
    }

    /// Has the last request been answered?
    pub fn answered(&self) -> bool {
        self.response().load(Ordering::Acquire) == self.request().load(Ordering::Relaxed)
    }

    /// Waits for the answer, at most this long, after having looked so often.
    pub fn wait(&self, limit: Duration, looks: u32) -> bool {
        for _ in 0..looks {
            if self.answered() {
                return true;
            }
            std::hint::spin_loop();
        }
        // SAFETY: only the address of a field is taken.
        let asleep = self.word(|c| unsafe { &raw const (*c).asked.asleep });
        asleep.store(1, Ordering::Relaxed);
        // The target sees that we sleep, or else we see its answer.
        fence(Ordering::SeqCst);
        let seen = self.response().load(Ordering::Acquire);
        if !self.answered() {
            futex(self.response(), libc::FUTEX_WAIT, seen, Some(limit));
        }
        asleep.store(0, Ordering::Relaxed);
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
        // A run that tells of memory may change records that it has made before.
        let tells = Coverage(head.coverage).has(Coverage::NEW_CONTENDED);
        let whole = head.begun != 0 && self.records.len() <= count && !tells;
        let there = self.begun.take().is_some_and(|begun| begun == slot && whole);
        if !there {
            self.records.clear();
        }
        self.copy(slot, count);
        let text = self.text(slot, head);
        decode(head, text.as_bytes(), &mut self.records, memory)
    }

    /// Copies what the target has recorded in a slot so far, if it has begun there: then less is to be copied from another core's
    /// memory when it has ended.
    pub fn copy_begun(&mut self, slot: usize) {
        self.begun = None;
        // SAFETY: plain words of the control page, read in this order: while it says that it runs, the count is of that run.
        let (ending, count) = unsafe {
            let head = &raw const (*self.control()).slots[slot].trace;
            (std::ptr::read_volatile(&raw const (*head).ending), std::ptr::read_volatile(&raw const (*head).records))
        };
        if ending == Ending::Running as u8 {
            self.records.clear();
            self.copy(slot, (count as usize).min(TRACE_RECORDS));
            self.begun = Some(slot);
        }
    }

    /// Copies a slot's records, up to a number, after those that are copied already.
    fn copy(&mut self, slot: usize, count: usize) {
        let from = self.records.len();
        self.records.reserve(count - from);
        // SAFETY: inside the slot's trace part; copied before anything is decided from it.
        unsafe {
            let first = self.base.add(shared::trace_offset(slot)).cast::<Rec>();
            std::ptr::copy_nonoverlapping(first.add(from), self.records.as_mut_ptr().add(from), count - from);
            self.records.set_len(count);
        }
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
