//! What is known about a function of the C library or the compiler's runtime that a program calls or looks up, by its name.
//!
//! The lists were made from the dynamic symbols of glibc 2.36 (libc, libm), libgcc and the C++ runtimes. A name that is
//! on none of them is unmodelled: the caveat names it. Harmless is only what touches no memory that threads can share
//! beyond what the instrumented caller handed over by value; a function that stores through a pointer (`frexp`,
//! `read`) is not, although the pointer is mostly private.

macro_rules! names {
    ($($name:ident)*) => { &[$(stringify!($name)),*] };
}

/// The names that are harmless one by one, not by their beginnings.
pub fn harmless_names() -> impl Iterator<Item = &'static str> {
    HARMLESS.iter().chain(MATHEMATICS).copied()
}

/// What a call of a function means for a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known {
    /// The runtime stands in for it.
    Interposed,
    /// It neither synchronises nor touches shared memory.
    Harmless,
    /// It synchronises or waits, in a way that is not modelled: a run in which it is called is refused.
    Synchronisation,
    /// It may touch memory that nobody announces: a caveat.
    Unmodelled,
}

/// The C library, the C++ and compiler runtimes, as their files' names begin: trusted, modelled or interposed as far as it matters.
pub const LIBRARIES: [&str; 16] = [
    "libc.so.",
    "libm.so.",
    "libmvec.so.",
    "libpthread.so.",
    "librt.so.",
    "libdl.so.",
    "libresolv.so.",
    "libutil.so.",
    "libanl.so.",
    "ld-linux-x86-64.so.",
    "libgcc_s.so.",
    "libstdc++.so.",
    "libc++.so.",
    "libc++abi.so.",
    "libunwind.so.1", // LLVM's; others have higher numbers
    "libatomic.so.",
];

/// Classifies a symbol; `interposed`: the runtime exports it.
pub fn classify(name: &str, interposed: bool) -> Known {
    if interposed {
        Known::Interposed
    } else if harmless(name) {
        Known::Harmless
    } else if SYNCHRONISATION.contains(&name) || starts(name, SYNCHRONISATION_PREFIXES) {
        Known::Synchronisation
    } else {
        Known::Unmodelled
    }
}

fn harmless(name: &str) -> bool {
    !TOUCHES.contains(&name)
        && (attributes(name)
            || HARMLESS.contains(&name)
            || starts(name, HARMLESS_PREFIXES)
            || mathematics(name)
            || exceptions(name)
            || throws(name))
}

fn starts(name: &str, prefixes: &[&str]) -> bool {
    prefixes.iter().any(|prefix| name.starts_with(prefix))
}

/// Functions on attribute objects, which are set up by one thread before use and read by the functions that we model.
fn attributes(name: &str) -> bool {
    let name = name.trim_start_matches('_');
    ["attr_", "mutexattr_", "condattr_", "rwlockattr_", "barrierattr_"]
        .iter()
        .any(|kind| name.strip_prefix("pthread_").is_some_and(|rest| rest.starts_with(kind)))
}

/// Mathematical functions of all floating types, on values alone.
fn mathematics(name: &str) -> bool {
    let base = |name: &str| MATHEMATICS.contains(&name);
    let plain = name.strip_prefix("__").map_or(name, |rest| rest.strip_suffix("_finite").unwrap_or(rest));
    const TYPES: [&str; 8] = ["f128", "f32x", "f64x", "f32", "f64", "f", "l", ""];
    TYPES.iter().any(|suffix| plain.strip_suffix(suffix).is_some_and(base))
}

/// Function names without the suffix of their type. Not here, because they store through a pointer or into a variable:
/// frexp, modf, remquo, sincos, nan, lgamma, gamma, getpayload, setpayload, canonicalize, the floating environment's.
const MATHEMATICS: &[&str] = names! {
    acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh drem erf erfc exp exp10 exp2 expm1 fabs fdim
    finite floor fma fmax fmaxmag fmaximum fmaximum_mag fmaximum_mag_num fmaximum_num fmin fminmag fminimum
    fminimum_mag fminimum_mag_num fminimum_num fmod fpclassify fromfp fromfpx hypot ilogb iscanonical iseqsig isinf
    isnan issignaling j0 j1 jn ldexp llogb llrint llround log log10 log1p log2 logb lrint lround nearbyint nextafter
    nextdown nexttoward nextup pow remainder rint round roundeven scalb scalbln scalbn signbit significand sin sinh
    sqrt tan tanh tgamma trunc ufromfp ufromfpx y0 y1 yn cabs cacos cacosh carg casin casinh
    catan catanh ccos ccosh cexp cimag clog clog10 conj cpow cproj creal csin csinh csqrt ctan ctanh fadd fsub fmul
    fdiv fsqrt ffma dadd dsub dmul ddiv dsqrt dfma
};

/// The C++ runtime (for whose guards and exit handlers the runtime stands in), unwinding, personality routines, clones
/// for transactions (never there); and what a C++ library does on values, on a thread's own exceptions and on objects
/// that it hands on to the C library's interposed functions. The members of libstdc++ and libc++ that touch the
/// caller's objects (strings, tree nodes, streams, exception pointers) are not here: nobody announces what they touch.
const HARMLESS_PREFIXES: &[&str] = names! {
    __cxa_ _Unwind_ __gcc_ __gxx_ __register_frame __deregister_frame _ITM_registerTM _ITM_deregisterTM
    // new and delete; tables and information of types; wrappers and temporaries of the program itself.
    _Znw _Zna _Zdl _Zda _ZTI _ZTV _ZTS _ZTT _ZTC _ZGR _ZNKSt9type_info _ZN10__cxxabiv1 _ZSt7nothrow
    // std::thread, this_thread, condition_variable, futex of futures, locks of atomic shared pointers.
    _ZNSt6thread _ZNSt11this_thread _ZNSt18condition_variable _ZNSt3_V222condition_variable_any
    _ZSt25notify_all_at_thread_exit _ZNSt28__atomic_futex_unsigned_base _ZNSt10_Sp_locker
    _ZNSt16_Sp_make_shared_tag _ZNSt12placeholders _ZNSt13__future_base12_Result_base _ZSt15__once_callable _ZSt11__once_call
    // Clocks, allocators (which have no state), categories of errors, the end by std::terminate.
    _ZNSt6chrono _ZNSaI _ZNKSaI _ZNSt3_V215system_category _ZNSt3_V216generic_category _ZNSt3_V214error_category
    _ZNKSt3_V214error_category _ZSt15future_category _ZSt9terminatev _ZSt10unexpectedv _ZSt18uncaught_exception
    // Streams as variables, and their set-up before main.
    _ZNSt8ios_base4Init _ZSt3cin _ZSt4cout _ZSt4cerr _ZSt4clog _ZSt4wcin _ZSt5wcout _ZSt5wcerr _ZSt5wclog
    // The same of libc++.
    _ZNSt3__16thread _ZNSt3__15mutex _ZNSt3__115recursive_mutex _ZNSt3__111timed_mutex _ZNSt3__118condition_variable
    _ZNSt3__16chrono _ZNSt3__111this_thread _ZNSt3__115__thread_struct _ZNSt3__119__thread_local_data
    _ZNSt3__120__throw_system_error
};

/// Standard exceptions: made from a text, destroyed and asked what they are. Copies share a hidden text and are left out.
fn exceptions(name: &str) -> bool {
    let Some(rest) = name.strip_prefix("_ZNSt").or_else(|| name.strip_prefix("_ZNKSt")) else { return false };
    let rest = rest.strip_prefix("3_V2").unwrap_or(rest);
    let class = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    EXCEPTIONS.iter().any(|exception| {
        class.strip_prefix(exception).is_some_and(|member| {
            ["D0Ev", "D1Ev", "D2Ev", "C1Ev", "C2Ev", "C1EPKc", "C2EPKc", "4whatEv"].contains(&member)
        })
    })
}

const EXCEPTIONS: &[&str] = names! {
    exception bad_alloc bad_cast bad_typeid bad_exception bad_array_new_length bad_function_call bad_weak_ptr
    logic_error domain_error invalid_argument length_error out_of_range runtime_error range_error overflow_error
    underflow_error system_error future_error bad_optional_access bad_variant_access
};

/// `std::__throw_…`: makes an exception from constants.
fn throws(name: &str) -> bool {
    name.strip_prefix("_ZSt")
        .is_some_and(|rest| rest.trim_start_matches(|c: char| c.is_ascii_digit()).starts_with("__throw_"))
}

/// Names with a harmless prefix that touch the caller's memory or hidden lists.
const TOUCHES: &[&str] = names! { __cxa_demangle __cxa_atexit __cxa_at_quick_exit };

/// Each is marked as safe, without any condition, by the C library's manual, or stands in `native/tests/marks.txt` with the reason why it
/// is here; a test compares the two.
const HARMLESS: &[&str] = names! {
    // Start and end of the program, and what the linker or compiler adds.
    __libc_start_main __libc_csu_init __libc_csu_fini __gmon_start__ __stack_chk_fail __stack_chk_guard __tls_get_addr
    __dso_handle __TMC_END__ __cyg_profile_func_enter __cyg_profile_func_exit __fentry__ mcount _mcount __chk_fail
    __fortify_fail __libc_fatal _dl_find_object __libc_alloca_cutoff __emutls_get_address __cpu_indicator_init
    __cpu_model __rust_probestack rust_eh_personality __once_proxy
    // Variables: an access to one is instrumented like any other.
    stdin stdout stderr environ __environ _environ optarg optind opterr optopt timezone daylight tzname __timezone
    __daylight __tzname signgam program_invocation_name program_invocation_short_name __progname __progname_full
    in6addr_any in6addr_loopback _IO_2_1_stdin_ _IO_2_1_stdout_ _IO_2_1_stderr_ sys_errlist sys_siglist _sys_errlist
    _sys_siglist __libc_single_threaded __libc_enable_secure _res h_errno
    // Where a thread's own variables are; old names of the locale's tables.
    __errno_location __h_errno_location
    __ctype_b __ctype_tolower __ctype_toupper __ctype_init
    // Numbers from numbers.
    abs labs llabs imaxabs div ldiv lldiv imaxdiv ffs ffsl ffsll __ffs htonl htons ntohl ntohs toascii difftime
    gnu_dev_major gnu_dev_minor gnu_dev_makedev dysize inet_makeaddr inet_lnaof inet_netof fegetround fesetround
    feclearexcept feraiseexcept fesetexcept fetestexcept feenableexcept fedisableexcept fegetexcept
    // Characters.
    isascii isdigit isxdigit
    // The process, as it is from start to end.
    getpid getppid getuid geteuid getgid getegid getpgrp getpgid getsid gettid issetugid getpagesize getdtablesize
    get_nprocs get_nprocs_conf get_phys_pages get_avphys_pages
    gnu_get_libc_version gnu_get_libc_release sched_get_priority_max sched_get_priority_min __sched_get_priority_max
    __sched_get_priority_min sched_getscheduler __sched_cpualloc __sched_cpufree
    __libc_current_sigrtmin __libc_current_sigrtmax ulimit getpriority isatty alloca bsearch
    // Constant texts.
    sigabbrev_np sigdescr_np strerrordesc_np strerrorname_np
    // Threads, without anything that another could see.
    pthread_equal pthread_self thrd_current thrd_equal pthread_getconcurrency pthread_setconcurrency
    __pthread_get_minstack pthread_testcancel __pthread_register_cancel
    __pthread_unregister_cancel __pthread_unwind_next _pthread_cleanup_push _pthread_cleanup_pop
    __pthread_cleanup_routine __register_atfork pthread_atfork
    // The dynamic linker is trusted; what it loads at run time is not.
    dlsym dlvsym dlerror dl_iterate_phdr
    // libgcc: numbers of two words, complex numbers.
    __divti3 __modti3 __udivti3 __umodti3 __udivmodti4 __divmodti4 __multi3 __ashlti3 __ashrti3 __lshrti3 __mulvdi3
    __addvdi3 __subvdi3 __negvdi2 __popcountdi2 __popcountti2 __clzti2 __ctzti2 __ffsti2 __parityti2 __powidf2
    __powisf2 __powixf2 __powitf2 __muldc3 __mulsc3 __mulxc3 __multc3 __divdc3 __divsc3 __divxc3 __divtc3 __addtf3
    __subtf3 __multf3 __divtf3 __negtf2 __eqtf2 __netf2 __lttf2 __letf2 __gttf2 __getf2 __unordtf2 __extenddftf2
    __extendsftf2 __extendxftf2 __trunctfdf2 __trunctfsf2 __trunctfxf2 __fixtfdi __fixtfsi __fixtfti __fixunstfdi
    __fixunstfsi __fixunstfti __floatditf __floatsitf __floattitf __floatunditf __floatunsitf __floatuntitf __fixdfti
    __fixsfti __fixxfti __fixunsdfti __fixunssfti __fixunsxfti __floattidf __floattisf __floattixf __floatuntidf
    __floatuntisf __floatuntixf __extendhfsf2 __extendhfdf2 __truncsfhf2 __truncdfhf2 __truncsfbf2 __truncdfbf2
    __clear_cache
};

const SYNCHRONISATION_PREFIXES: &[&str] = names! {
    pthread_ __pthread_ _pthread_ sem_ mtx_ cnd_ thrd_ tss_ mq_ __mq_ aio_ lio_ io_ timer_ timerfd_ sigwait epoll_ eventfd
    __lll_ __libc_lock __libc_allocate_once __gthread omp_ GOMP_ GOACC_ __kmpc_ _ITM_ __splitstack dispatch_ __tsan_
};

const SYNCHRONISATION: &[&str] = names! {
    // Threads and processes by other means.
    call_once clone __clone clone3 unshare setns fork __fork __libc_fork vfork __vfork _Fork daemon forkpty system
    __libc_system popen _IO_popen pclose execv execve execvp execvpe execl execle execlp execveat fexecve wait __wait
    wait3 wait4 waitid waitpid __waitpid ptrace pidfd_open pidfd_getfd pidfd_send_signal process_vm_writev
    // Contexts that our fibers do not know of.
    getcontext setcontext makecontext swapcontext
    // Waiting.
    pause __sigsuspend sigsuspend sigpause __sigpause __xpg_sigpause sigtimedwait __sigtimedwait signalfd poll __poll
    ppoll __poll_chk __ppoll_chk select __select pselect alarm ualarm setitimer futex getaddrinfo_a gai_suspend
    gai_cancel gai_error flock lockf lockf64 fanotify_init inotify_init inotify_init1 membarrier
    // Other processes' messages, memory and semaphores.
    msgget msgsnd msgrcv msgctl __libc_msgsnd __libc_msgrcv semget semop semtimedop semctl shmget shmat shmdt shmctl
    shm_open shm_unlink _IO_list_lock _IO_list_unlock _IO_list_resetlock
};

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    fn check(expected: Known, names: &str) {
        let exported = ["pthread_mutex_lock", "memcpy", "pthread_attr_setstack"];
        for name in names.split_whitespace() {
            assert_eq!(classify(name, exported.contains(&name)), expected, "{name}");
        }
    }

    #[test]
    fn what_the_runtime_exports_comes_first() {
        check(Known::Interposed, "pthread_mutex_lock memcpy pthread_attr_setstack");
    }

    #[test]
    fn values_and_constants_are_harmless() {
        check(
            Known::Harmless,
            "sin sinf sinl cosf64x pow powf128 __exp_finite __log10f_finite __signbitl isnan atan2l",
        );
        check(Known::Harmless, "abs isdigit getpid getuid toascii __errno_location stdout environ optarg signgam");
        check(Known::Harmless, "pthread_attr_init pthread_mutexattr_settype pthread_condattr_setclock pthread_self");
        check(Known::Harmless, "__pthread_mutexattr_init pthread_rwlockattr_setkind_np pthread_barrierattr_init");
        check(
            Known::Harmless,
            "__cxa_throw __cxa_finalize _Unwind_Resume __gxx_personality_v0 _ITM_registerTMCloneTable",
        );
        check(Known::Harmless, "__gmon_start__ __libc_start_main __stack_chk_fail _ZNSt6threadD1Ev _Znwm __udivti3");
        check(Known::Harmless, "_ZSt20__throw_system_errori _ZNSt13runtime_errorC1EPKc _ZNKSt9exception4whatEv");
        check(
            Known::Harmless,
            "_ZNSt18condition_variable10notify_oneEv _ZNSt6chrono3_V212steady_clock3nowEv _ZSt4cout",
        );
    }

    #[test]
    fn unknown_synchronisation_is_never_let_through() {
        check(Known::Synchronisation, "pthread_mutex_trylock pthread_new_np __pthread_mutex_lock sem_open mtx_lock");
        check(
            Known::Synchronisation,
            "thrd_sleep tss_set mq_receive aio_read timer_create sigwait sigwaitinfo signalfd",
        );
        check(Known::Synchronisation, "eventfd_read epoll_wait fork vfork execve clone poll select swapcontext semop");
        check(
            Known::Synchronisation,
            "GOMP_parallel __kmpc_fork_call __tsan_new_hook _ITM_beginTransaction __splitstack_find",
        );
    }

    #[test]
    fn what_may_touch_memory_is_a_caveat() {
        check(
            Known::Unmodelled,
            "read write recv frexp modf sincos lgamma tsearch regexec iconv wprintf realpath stat gethostid wctype",
        );
        check(
            Known::Unmodelled,
            "__cxa_demangle a64l dladdr __sched_cpucount _ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base",
        );
        check(Known::Unmodelled, "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE6appendEPKc _ZNSolsEi");
        check(Known::Unmodelled, "_ZNSt13runtime_errorC1ERKNSt7__cxx1112basic_stringIcE _ZN6mylib3fooEv");
        check(Known::Unmodelled, "_ZNSt15__exception_ptr13exception_ptr10_M_releaseEv _ZSt11_Hash_bytesPKvmm");
        check(Known::Unmodelled, "no_such_function sinx __unknown getopt open_memstream remquof");
    }

    #[test]
    fn no_name_is_on_two_lists() {
        let mut seen = HashSet::new();
        for name in HARMLESS.iter().chain(SYNCHRONISATION) {
            assert!(seen.insert(name), "{name} is listed twice");
        }
    }
}
