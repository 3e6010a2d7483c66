//! Functions of the C++ library that are not in its headers, and touch the caller's objects: exception pointers, hashes,
//! streams; and `join`, for its caller's sake. (What is in headers is instrumented with the program; trees and lists are brought there, see
//! `crates/native/include/c++`.)
//!
//! A stream that is used is announced as written: two threads that use one at once race. The standard streams may be used
//! by several threads; what orders their output is the C library's stream below them.

use super::exceptions::IN_LIBRARY;
use super::pass::{Call, Then};
use super::touch::{self, R, W};
use crate::abi::access;
use crate::interpose::find;
use crate::objects;
use crate::sched;
use crate::state::me;
use core::sync::atomic::{AtomicUsize, Ordering};
use gabion_trace::{AccessKind, Address, OpKind};

/// The count of whoever holds an exception, in front of it: the header of an exception with a count has this size.
// ABI: libsupc++ unwind-cxx.h, struct __cxa_refcounted_exception
const COUNT_BEFORE: u64 = 128;

/// An exception's count changes, which orders whoever holds it: a point, as other atomics are, once threads have met there.
fn counted(object: u64, pc: u64) {
    let kind = AccessKind::UPDATE.with(AccessKind::ATOMIC).with(AccessKind::ACQUIRE).with(AccessKind::RELEASE);
    if object == 0 || !touch::watching() {
        return;
    }
    let at = object - COUNT_BEFORE;
    if access::counts(at, pc) {
        sched::reach(OpKind::AtomicUpdate, Address::memory(at), pc);
    }
    access::joined_range(at, 4, kind, pc);
}

/// An exception pointer is read or written, and its exception's count changes.
fn exception(place: u64, kind: AccessKind, object: u64, c: &Call) -> Then {
    touch::all(&[(place, 8, kind)], c.pc());
    counted(object, c.pc());
    Then::Pass
}

/// A handler gives up its exception.
pub fn released(object: u64, c: &Call) {
    counted(object, c.pc());
}

/// What an exception pointer points to.
pub fn pointed_at(place: u64) -> u64 {
    // SAFETY: the program's exception pointer, which the function about to be called reads too.
    unsafe { *(place as *const u64) }
}

/// Bytes of a `std::condition_variable`.
const CONDITION: u64 = 48;

/// Constructors that the library has, of objects which others may still use.
fn constructed(size: u64, c: &Call) -> Then {
    touch::all(&[(c.a[0], size, W)], c.pc());
    Then::Pass
}

// ABI: condition_variable
pass! {
    _ZNSt18condition_variableC1Ev => |c, _| constructed(CONDITION, c);
    _ZNSt18condition_variableC2Ev => |c, _| constructed(CONDITION, c);
}

// ABI: exception_ptr.h; the first argument is the pointer, or where it will be.
pass! {
    _ZNSt15__exception_ptr13exception_ptr9_M_addrefEv => |c, _| exception(c.a[0], R, pointed_at(c.a[0]), c);
    _ZNSt15__exception_ptr13exception_ptr10_M_releaseEv => |c, _| exception(c.a[0], W, pointed_at(c.a[0]), c);
    _ZNSt15__exception_ptr13exception_ptrC1EPv => |c, _| exception(c.a[0], W, c.a[1], c);
    _ZNSt15__exception_ptr13exception_ptrC2EPv => |c, _| exception(c.a[0], W, c.a[1], c);
    _ZNSt15__exception_ptr13exception_ptrC1ERKS0_ => |c, _| copied(c);
    _ZNSt15__exception_ptr13exception_ptrC2ERKS0_ => |c, _| copied(c);
    _ZNSt15__exception_ptr13exception_ptraSERKS0_ => |c, _| copied(c);
    _ZNSt15__exception_ptr13exception_ptrD1Ev => |c, _| exception(c.a[0], W, pointed_at(c.a[0]), c);
    _ZNSt15__exception_ptr13exception_ptrD2Ev => |c, _| exception(c.a[0], W, pointed_at(c.a[0]), c);
    _ZSt17current_exceptionv => |c, _| exception(c.a[0], W, 0, c);
}

/// An exception is thrown again.
pub fn rethrown(c: &Call) -> Then {
    exception(c.a[0], R, pointed_at(c.a[0]), c)
}

fn copied(c: &Call) -> Then {
    touch::all(&[(c.a[1], 8, R), (c.a[0], 8, W)], c.pc());
    counted(pointed_at(c.a[1]), c.pc());
    Then::Pass
}

/// Read bit by bit.
const TEXT: AccessKind = R.with(AccessKind::PARTS);

/// Bytes that are read.
fn bytes(at: u64, length: u64, c: &Call) -> Then {
    touch::all(&[(at, length, TEXT)], c.pc());
    Then::Pass
}

/// An object that is used as a whole.
fn object(size: u64, c: &Call) -> Then {
    touch::all(&[(c.a[0], size, W)], c.pc());
    Then::Pass
}

// ABI: hash_bytes.h; hashtable_policy.h, struct _Prime_rehash_policy: a number and a size.
pass! {
    _ZSt11_Hash_bytesPKvmm => |c, _| bytes(c.a[0], c.a[1], c);
    _ZSt15_Fnv_hash_bytesPKvmm => |c, _| bytes(c.a[0], c.a[1], c);
    _ZNKSt8__detail20_Prime_rehash_policy11_M_next_bktEm => |c, _| object(16, c);
    _ZNKSt8__detail20_Prime_rehash_policy14_M_need_rehashEmmm => |c, _| object(16, c);
}

// ABI: std_thread.h, void std::thread::join(). It is the program's line that joins, not the library's.
pass! { @when Controlled
    _ZNSt6thread4joinEv => |c, _| {
        me().joins_at = c.pc();
        Then::Pass
    };
}

/// Where the program joins a thread, if `pc` calls `pthread_join`.
pub fn joined_at(pc: u64) -> u64 {
    match core::mem::take(&mut me().joins_at) {
        0 => pc,
        at => {
            let (from, to) = touch::module(IN_LIBRARY);
            if (from..to).contains(&pc) { at } else { pc }
        }
    }
}

/// Is it one of the standard streams?
fn is_standard(stream: u64) -> bool {
    static STREAMS: [(&str, AtomicUsize); 4] = [
        ("_ZSt4cout\0", AtomicUsize::new(0)),
        ("_ZSt4cerr\0", AtomicUsize::new(0)),
        ("_ZSt4clog\0", AtomicUsize::new(0)),
        ("_ZSt3cin\0", AtomicUsize::new(0)),
    ];
    STREAMS.iter().any(|(name, cell)| {
        if cell.load(Ordering::Relaxed) == 0 {
            cell.store(find(name), Ordering::Relaxed);
        }
        cell.load(Ordering::Relaxed) as u64 == stream
    })
}

/// A stream is used, and a range of memory. What there is of a stream changes bit by bit.
fn stream_and(stream: u64, range: (u64, u64, AccessKind), c: &Call) -> Then {
    if is_standard(stream) {
        touch::all(&[range], c.pc());
    } else {
        touch::all(&[(stream, 8, W.with(AccessKind::PARTS)), range], c.pc());
    }
    Then::Pass
}

fn stream(c: &Call) -> Then {
    stream_and(c.a[0], (0, 0, R), c)
}

/// A stream takes a text that ends in a zero byte.
fn takes_text(c: &Call) -> Then {
    let length = if c.a[1] == 0 { 0 } else { super::plain::length(c.a[1] as *const u8) as u64 + 1 };
    stream_and(c.a[0], (c.a[1], length, TEXT), c)
}

/// A stream takes or gives a string: where its bytes are, and how many.
fn string(stream: u64, string: u64, kind: AccessKind, c: &Call) -> Then {
    // SAFETY: the program's string; its first two words are this.
    let (text, length) = unsafe { (*(string as *const u64), *(string as *const u64).add(1)) };
    stream_and(stream, (string, 32, kind), c);
    if kind == R {
        access::joined_range(text, length, TEXT, c.pc());
    }
    Then::Pass
}

// ABI: ostream, istream, sstream: members of the instances for char, mangled.
pass! {
    _ZNSolsEb => |c, _| stream(c); _ZNSolsEs => |c, _| stream(c); _ZNSolsEt => |c, _| stream(c);
    _ZNSolsEi => |c, _| stream(c); _ZNSolsEj => |c, _| stream(c); _ZNSolsEl => |c, _| stream(c);
    _ZNSolsEm => |c, _| stream(c); _ZNSolsEx => |c, _| stream(c); _ZNSolsEy => |c, _| stream(c);
    _ZNSolsEf => |c, _| stream(c); _ZNSolsEd => |c, _| stream(c); _ZNSolsEe => |c, _| stream(c);
    _ZNSolsEPKv => |c, _| stream(c); _ZNSolsEDn => |c, _| stream(c);
    _ZNSolsEPFRSoS_E => |c, _| stream(c); _ZNSolsEPFRSt8ios_baseS0_E => |c, _| stream(c);
    _ZNSo9_M_insertIbEERSoT_ => |c, _| stream(c); _ZNSo9_M_insertIdEERSoT_ => |c, _| stream(c);
    _ZNSo9_M_insertIeEERSoT_ => |c, _| stream(c); _ZNSo9_M_insertIlEERSoT_ => |c, _| stream(c);
    _ZNSo9_M_insertImEERSoT_ => |c, _| stream(c); _ZNSo9_M_insertIxEERSoT_ => |c, _| stream(c);
    _ZNSo9_M_insertIyEERSoT_ => |c, _| stream(c); _ZNSo9_M_insertIPKvEERSoT_ => |c, _| stream(c);
    _ZNSo3putEc => |c, _| stream(c); _ZNSo5flushEv => |c, _| stream(c);
    _ZNSo5writeEPKcl => |c, _| stream_and(c.a[0], (c.a[1], c.a[2], TEXT), c);
    _ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc => |c, _| takes_text(c);
    _ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_c => |c, _| stream(c);
    _ZStlsIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_c => |c, _| stream(c);
    _ZSt16__ostream_insertIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_PKS3_l =>
        |c, _| stream_and(c.a[0], (c.a[1], c.a[2], TEXT), c);
    _ZStlsIcSt11char_traitsIcESaIcEERSt13basic_ostreamIT_T0_ES7_RKNSt7__cxx1112basic_stringIS4_S5_T1_EE =>
        |c, _| string(c.a[0], c.a[1], R, c);
    _ZSt4endlIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_ => |c, _| stream(c);
    _ZSt5flushIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_ => |c, _| stream(c);
    _ZSt4endsIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_ => |c, _| stream(c);
    _ZNSirsERi => |c, _| stream_and(c.a[0], (c.a[1], 4, W), c);
    _ZNSirsERj => |c, _| stream_and(c.a[0], (c.a[1], 4, W), c);
    _ZNSirsERl => |c, _| stream_and(c.a[0], (c.a[1], 8, W), c);
    _ZNSirsERm => |c, _| stream_and(c.a[0], (c.a[1], 8, W), c);
    _ZNSirsERd => |c, _| stream_and(c.a[0], (c.a[1], 8, W), c);
    _ZStrsIcSt11char_traitsIcESaIcEERSt13basic_istreamIT_T0_ES7_RNSt7__cxx1112basic_stringIS4_S5_T1_EE =>
        |c, _| string(c.a[0], c.a[1], W, c);
    _ZSt7getlineIcSt11char_traitsIcESaIcEERSt13basic_istreamIT_T0_ES7_RNSt7__cxx1112basic_stringIS4_S5_T1_EE =>
        |c, _| string(c.a[0], c.a[1], W, c);
    _ZSt7getlineIcSt11char_traitsIcESaIcEERSt13basic_istreamIT_T0_ES7_RNSt7__cxx1112basic_stringIS4_S5_T1_EES4_ =>
        |c, _| string(c.a[0], c.a[1], W, c);
    _ZNSt7__cxx1119basic_ostringstreamIcSt11char_traitsIcESaIcEEC1Ev => |c, _| stream(c);
    _ZNSt7__cxx1119basic_ostringstreamIcSt11char_traitsIcESaIcEED1Ev => |c, _| stream(c);
    _ZNSt7__cxx1118basic_stringstreamIcSt11char_traitsIcESaIcEEC1Ev => |c, _| stream(c);
    _ZNSt7__cxx1118basic_stringstreamIcSt11char_traitsIcESaIcEED1Ev => |c, _| stream(c);
    _ZNSt7__cxx1119basic_istringstreamIcSt11char_traitsIcESaIcEED1Ev => |c, _| stream(c);
    _ZNSt7__cxx1119basic_istringstreamIcSt11char_traitsIcESaIcEEC1ERKNS_12basic_stringIcS2_S3_EESt13_Ios_Openmode =>
        |c, _| string(c.a[0], c.a[1], R, c);
    _ZNSt7__cxx1119basic_ostringstreamIcSt11char_traitsIcESaIcEEC1ERKNS_12basic_stringIcS2_S3_EESt13_Ios_Openmode =>
        |c, _| string(c.a[0], c.a[1], R, c);
    _ZNSt7__cxx1118basic_stringstreamIcSt11char_traitsIcESaIcEEC1ERKNS_12basic_stringIcS2_S3_EESt13_Ios_Openmode =>
        |c, _| string(c.a[0], c.a[1], R, c);
    // The result's place comes first.
    _ZNKSt7__cxx1119basic_ostringstreamIcSt11char_traitsIcESaIcEE3strEv =>
        |c, _| stream_and(c.a[1], (c.a[0], 32, W), c);
    _ZNKSt7__cxx1118basic_stringstreamIcSt11char_traitsIcESaIcEE3strEv =>
        |c, _| stream_and(c.a[1], (c.a[0], 32, W), c);
    // From C++20 on, on lvalues.
    _ZNKRSt7__cxx1119basic_ostringstreamIcSt11char_traitsIcESaIcEE3strEv =>
        |c, _| stream_and(c.a[1], (c.a[0], 32, W), c);
    _ZNKRSt7__cxx1118basic_stringstreamIcSt11char_traitsIcESaIcEE3strEv =>
        |c, _| stream_and(c.a[1], (c.a[0], 32, W), c);
}

/// libc++ makes what its threads know of themselves by when the first one begins, under a guard that it looks at unseen, and compiled code reads
/// it. Made before the program begins, it is nobody's business.
// ABI: libc++, `std::__thread_local_data()`.
pub fn prepare_threads() {
    let mut present = false;
    objects::each(|object| present |= object.name().starts_with(b"libc++.so."));
    let function = if present { find("_ZNSt3__119__thread_local_dataEv\0") } else { 0 };
    if function != 0 {
        // SAFETY: the library's own function, which takes nothing; the library is set up before the program is.
        unsafe { core::mem::transmute::<usize, extern "C" fn() -> u64>(function)() };
    }
}

/// An exception is made from a string.
fn of_string(c: &Call) -> Then {
    string(c.a[0], c.a[1], R, c)
}

/// One exception becomes another; the text that they share has a count of its own.
fn copied_whole(c: &Call) -> Then {
    touch::all(&[(c.a[1], 16, R), (c.a[0], 16, W)], c.pc());
    Then::Pass
}

// ABI: stdexcept: an exception and its hidden text.
pass! {
    _ZNSt11logic_errorC1ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE => |c, _| of_string(c);
    _ZNSt11logic_errorC2ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE => |c, _| of_string(c);
    _ZNSt12domain_errorC1ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE => |c, _| of_string(c);
    _ZNSt12domain_errorC2ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE => |c, _| of_string(c);
    _ZNSt16invalid_argumentC1ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE => |c, _| of_string(c);
    _ZNSt16invalid_argumentC2ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE => |c, _| of_string(c);
    _ZNSt12length_errorC1ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE => |c, _| of_string(c);
    _ZNSt12length_errorC2ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE => |c, _| of_string(c);
    _ZNSt12out_of_rangeC1ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE => |c, _| of_string(c);
    _ZNSt12out_of_rangeC2ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE => |c, _| of_string(c);
    _ZNSt13runtime_errorC1ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE => |c, _| of_string(c);
    _ZNSt13runtime_errorC2ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE => |c, _| of_string(c);
    _ZNSt11range_errorC1ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE => |c, _| of_string(c);
    _ZNSt11range_errorC2ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE => |c, _| of_string(c);
    _ZNSt14overflow_errorC1ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE => |c, _| of_string(c);
    _ZNSt14overflow_errorC2ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE => |c, _| of_string(c);
    _ZNSt15underflow_errorC1ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE => |c, _| of_string(c);
    _ZNSt15underflow_errorC2ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE => |c, _| of_string(c);
    _ZNSt11logic_errorC1ERKS_ => |c, _| copied_whole(c);
    _ZNSt11logic_errorC2ERKS_ => |c, _| copied_whole(c);
    _ZNSt11logic_erroraSERKS_ => |c, _| copied_whole(c);
    _ZNSt13runtime_errorC1ERKS_ => |c, _| copied_whole(c);
    _ZNSt13runtime_errorC2ERKS_ => |c, _| copied_whole(c);
    _ZNSt13runtime_erroraSERKS_ => |c, _| copied_whole(c);
}
