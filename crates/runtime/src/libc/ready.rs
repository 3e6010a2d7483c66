//! Futures that are made ready at the end of a thread, after the destructors of its variables: `set_value_at_thread_exit`,
//! `make_ready_at_thread_exit`.
//!
//! libstdc++ keeps a list of what is to be called then, and runs it from the destructor of a key, or at the end of the process for the main
//! thread. What it would call for a future changes the future's counts and its status where nobody announces it; ours does the same
//! announced, and leaves it nothing to do but to give the element back.

use crate::abi::atomic;
use crate::api::futex;
use crate::interpose::caller;
use core::sync::atomic::{AtomicU64, Ordering};

/// An element of the list. ABI: future, `__future_base::_State_baseV2::_Make_ready`: a weak pointer behind the list's own words.
#[repr(C)]
struct Element {
    _next: u64,
    call: u64,
    state: u64,
    counts: u64,
}

// ABI: bits/shared_ptr_base.h, `_Sp_counted_base`: the table of virtual functions, those who use the object, those who know of it.
const USES: u64 = 8;
const KNOWN: u64 = 12;
const DISPOSE: usize = 2;
const DESTROY: usize = 3;

// ABI: future, `_State_baseV2`: the table, the result, the status; bits/atomic_futex.h for its highest bit.
const STATUS: u64 = 16;
const READY: u32 = 1;
const AWAITED: u32 = 1 << 31;

/// What the library would call.
static LIBRARY: AtomicU64 = AtomicU64::new(0);

interpose! {
    fn _ZNSt13__future_base13_State_baseV211_Make_ready6_M_setEv(element: *mut Element) {
        // SAFETY: the library's own function, with its argument: an element that the running thread has just made.
        unsafe {
            real!(_ZNSt13__future_base13_State_baseV211_Make_ready6_M_setEv: fn(*mut Element))(element);
            LIBRARY.store((*element).call, Ordering::Relaxed);
            (*element).call = thread_ends as *const () as u64;
        }
    }
}

#[unsafe(naked)]
unsafe extern "C-unwind" fn thread_ends(_: *mut Element) {
    enter_here!(make_ready)
}

unsafe extern "C-unwind" fn make_ready(element: *mut Element) {
    let pc = caller();
    // SAFETY: the element that the library was given, which nobody else knows; its weak pointer keeps the counts, and a count of
    // uses above zero the state.
    unsafe {
        let Element { state, counts, .. } = *element;
        if counts != 0 {
            if atomic::update(counts + USES, pc, |uses| if uses == 0 { 0 } else { uses + 1 }) != 0 {
                if atomic::update(state + STATUS, pc, |_| READY) & AWAITED != 0 {
                    futex::wake_all(state + STATUS, pc);
                }
                if atomic::update(counts + USES, pc, |uses| uses - 1) == 1 {
                    call_virtual(counts, DISPOSE);
                    forget(counts, pc);
                }
            }
            forget(counts, pc);
            ((*element).state, (*element).counts) = (0, 0);
        }
        let library = LIBRARY.load(Ordering::Relaxed);
        core::mem::transmute::<u64, unsafe extern "C-unwind" fn(*mut Element)>(library)(element);
    }
}

/// One less knows of the counts; the last gives them back.
unsafe fn forget(counts: u64, pc: u64) {
    if atomic::update(counts + KNOWN, pc, |known| known - 1) == 1 {
        // SAFETY: nobody else knows of them.
        unsafe { call_virtual(counts, DESTROY) };
    }
}

unsafe fn call_virtual(object: u64, number: usize) {
    // SAFETY: the caller's object has a table with that many functions, which take the object alone.
    unsafe {
        let table = *(object as *const *const u64);
        core::mem::transmute::<u64, unsafe extern "C-unwind" fn(u64)>(*table.add(number))(object);
    }
}
