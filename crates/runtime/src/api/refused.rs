//! What a checked program cannot do: make another process, be interrupted, wait for something outside.
//!
//! Each call ends the run with its name and place. Passive, it is passed on whatever its arguments are.

pub mod linked;
mod ready;

use super::errno::{EINVAL, fail};
use crate::abi::access::{joined_range, range};
use crate::control::{controlled, unsupported};
use crate::interpose::{cached, caller};
use crate::sched;
use core::arch::naked_asm;
use core::sync::atomic::AtomicUsize;
use gabion_trace::{AccessKind, Address, OpKind, Pseudo};

/// A refused function. The name ends in a zero byte.
pub struct Call {
    name: &'static str,
    real: AtomicUsize,
}

impl Call {
    pub const fn new(name: &'static str) -> Self {
        Call { name, real: AtomicUsize::new(0) }
    }
}

/// A thread that is about to do it shows so before it does, like any other.
fn point(pc: u64) {
    sched::reach(OpKind::SystemCall, Address::pseudo(Pseudo::World), pc);
}

/// Refuses, or gives the C library's function to go on with.
unsafe extern "C-unwind" fn refuse(call: &Call, site: u64) -> usize {
    if controlled() {
        let pc = site.wrapping_sub(1);
        point(pc);
        unsupported(call.name.trim_end_matches('\0'), pc);
    }
    cached(&call.real, call.name)
}

/// Saves everything that may carry an argument, so that functions of any type can share it. rax: the call.
#[unsafe(naked)]
unsafe extern "C-unwind" fn gate() {
    naked_asm!(
        "push rdi", "push rsi", "push rdx", "push rcx", "push r8", "push r9", "sub rsp, 8",
        "mov rdi, rax", "mov rsi, [rsp + 56]", "call {refuse}",
        "add rsp, 8", "pop r9", "pop r8", "pop rcx", "pop rdx", "pop rsi", "pop rdi",
        "mov r11, rax", "xor eax, eax", "jmp r11", // none of them takes floating-point arguments
        refuse = sym refuse,
    )
}

/// Refuses a call. The [`Call`] lies on the stack, as [`crate::calls::write`] has it.
#[unsafe(naked)]
pub unsafe extern "C" fn refusal() {
    naked_asm!("pop rax", "jmp {gate}", gate = sym gate)
}

/// Refuses a call of a function that no [`Call`] is left for.
#[unsafe(naked)]
pub unsafe extern "C" fn refusal_of_some() {
    static SOME: Call = Call::new("a synchronisation function beyond those that gabion can name\0");
    naked_asm!("lea rax, [rip + {call}]", "jmp {gate}", call = sym SOME, gate = sym gate)
}

macro_rules! refused {
    ($($name:ident)*) => {$(
        const _: () = {
            static CALL: Call = Call::new(concat!(stringify!($name), "\0"));
            #[unsafe(no_mangle)]
            #[unsafe(naked)]
            unsafe extern "C-unwind" fn $name() {
                naked_asm!("lea rax, [rip + {call}]", "jmp {gate}", call = sym CALL, gate = sym gate)
            }
        };
    )*};
}

// ABI: unistd.h, sched.h, spawn.h, stdlib.h, stdio.h, pty.h. Another process or program.
refused! {
    fork vfork _Fork clone daemon forkpty
    execl execlp execle execv execvp execvpe execve fexecve execveat
    posix_spawn posix_spawnp system popen
}
// ABI: pthread.h, signal.h, time.h, sys/time.h, sys/signalfd.h, sys/timerfd.h. Interruption from outside.
refused! {
    pthread_cancel
    sigset sighold sigrelse sigignore sigblock sigsetmask sigpause siginterrupt signalfd
    timer_create timer_settime timerfd_create timerfd_settime
}
// ABI: semaphore.h, sys/sem.h, sys/msg.h, sys/shm.h, mqueue.h, aio.h. Objects that outlive or leave the process.
refused! {
    sem_open semget semop semtimedop msgget msgsnd msgrcv shmget shmat
    mq_open mq_send mq_receive mq_timedsend mq_timedreceive mq_notify
    aio_read aio_write aio_suspend aio_fsync lio_listio
}

// ABI: unistd.h, sys/time.h. Taking back an alarm that was never set is harmless.
interpose! {
    fn alarm(seconds: u32) -> u32 {
        let pc = caller();
        if seconds > 0 {
            point(pc);
            unsupported("alarm", pc);
        }
        0
    }
    fn ualarm(microseconds: u32, _interval: u32) -> u32 {
        let pc = caller();
        if microseconds > 0 {
            point(pc);
            unsupported("ualarm", pc);
        }
        0
    }
    fn setitimer(which: i32, new: *const [u64; 4], old: *mut [u64; 4]) -> i32 {
        let pc = caller();
        range(new as u64, if new.is_null() { 0 } else { 32 }, AccessKind::READ, pc);
        joined_range(old as u64, if old.is_null() { 0 } else { 32 }, AccessKind::WRITE, pc);
        // SAFETY: the program's timers, or none: interval, then value.
        unsafe {
            if new.as_ref().is_some_and(|n| n[2] | n[3] != 0) {
                point(pc);
                unsupported("setitimer", pc);
            }
            if let Some(old) = old.as_mut() {
                *old = [0; 4];
            }
        }
        if (0..3).contains(&which) { 0 } else { fail(EINVAL) }
    }
    fn getitimer(which: i32, now: *mut [u64; 4]) -> i32 {
        if !(0..3).contains(&which) {
            return fail(EINVAL);
        }
        range(now as u64, 32, AccessKind::WRITE, caller());
        // SAFETY: the program's variable.
        unsafe { *now = [0; 4] };
        0
    }
}

const ECHILD: i32 = 10;

// ABI: sys/wait.h. There are no children.
interpose! {
    fn wait(_status: *mut i32) -> i32 { fail(ECHILD) }
    fn waitpid(_child: i32, _status: *mut i32, _options: i32) -> i32 { fail(ECHILD) }
    fn wait3(_status: *mut i32, _options: i32, _usage: *mut u8) -> i32 { fail(ECHILD) }
    fn wait4(_child: i32, _status: *mut i32, _options: i32, _usage: *mut u8) -> i32 { fail(ECHILD) }
    fn waitid(_kind: i32, _child: u32, _info: *mut u8, _options: i32) -> i32 { fail(ECHILD) }
}
