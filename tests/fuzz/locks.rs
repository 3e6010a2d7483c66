//! How locks are taken in C and C++.

use crate::program::{Dialect, Guard};

pub fn object(guard: Guard) -> &'static str {
    match guard {
        Guard::Mutex(0) => "m0",
        Guard::Mutex(_) => "m1",
        Guard::Recursive => "again",
        Guard::Spin => "spin",
        Guard::Futex => "futex",
        Guard::Read | Guard::Write => "rw",
    }
}

/// The verb between `pthread_` and the object.
fn call(dialect: Dialect, guard: Guard, [c11, cxx, verb]: [&str; 3]) -> String {
    let object = object(guard);
    match (dialect, guard) {
        (Dialect::C11, _) => format!("mtx_{c11}(&{object})"),
        (Dialect::Cxx, Guard::Read) => format!("{object}.{cxx}_shared()"),
        (Dialect::Cxx, _) => format!("{object}.{cxx}()"),
        (_, Guard::Spin) => format!("pthread_spin_{verb}(&{object})"),
        (_, Guard::Futex) => format!("{object}_{verb}()"),
        (_, Guard::Read) if verb != "unlock" => format!("pthread_rwlock_{}(&{object})", verb.replace("lock", "rdlock")),
        (_, Guard::Write) if verb != "unlock" => {
            format!("pthread_rwlock_{}(&{object})", verb.replace("lock", "wrlock"))
        }
        (_, Guard::Read | Guard::Write) => format!("pthread_rwlock_unlock(&{object})"),
        _ => format!("pthread_mutex_{verb}(&{object})"),
    }
}

pub fn lock(dialect: Dialect, guard: Guard) -> String {
    call(dialect, guard, ["lock", "lock", "lock"]) + ";"
}

pub fn unlock(dialect: Dialect, guard: Guard) -> String {
    call(dialect, guard, ["unlock", "unlock", "unlock"]) + ";"
}

pub fn try_lock(dialect: Dialect, guard: Guard) -> String {
    let text = call(dialect, guard, ["trylock", "try_lock", "trylock"]);
    match dialect {
        Dialect::Cxx => text,
        Dialect::C11 => format!("{text} == thrd_success"),
        _ => format!("{text} == 0"),
    }
}

pub fn timed_lock(dialect: Dialect, guard: Guard) -> Option<String> {
    let object = object(guard);
    Some(match (dialect, guard) {
        (Dialect::Posix, Guard::Mutex(_) | Guard::Recursive) => format!("pthread_mutex_timedlock(&{object}, &at) == 0"),
        (Dialect::Posix, Guard::Read) => format!("pthread_rwlock_timedrdlock(&{object}, &at) == 0"),
        (Dialect::Posix, Guard::Write) => format!("pthread_rwlock_timedwrlock(&{object}, &at) == 0"),
        (Dialect::C11, Guard::Mutex(1)) => format!("mtx_timedlock(&{object}, &at) == thrd_success"),
        (Dialect::Cxx, Guard::Mutex(1)) => format!("{object}.try_lock_for(std::chrono::microseconds(20))"),
        _ => return None,
    })
}
