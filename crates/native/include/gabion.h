/* gabion.h: what a program can say to gabion, a model checker for its threads.
 *
 * All of it is optional, and does nothing in a program that runs without gabion: the same object links and runs with it and
 * without. For C and C++, gcc and clang. `gabion check`, `gabion cc` and `gabion c++` find this file by themselves.
 */
#ifndef GABION_H
#define GABION_H

#ifdef __cplusplus
extern "C" {
#endif

__attribute__((weak)) void __gabion_preempt(void);
__attribute__((weak)) int __gabion_choose(int count);
__attribute__((weak)) void __gabion_at_end(int (*holds)(void), const char *text, const char *file, unsigned line);
__attribute__((weak)) void __gabion_within_begin(void);
__attribute__((weak)) void __gabion_within_end(void);

#ifdef __cplusplus
}
#endif

/* Threads may be switched here, whatever --preempt says. */
#define gabion_preempt() (__gabion_preempt ? __gabion_preempt() : (void)0)

/* A number from 0 to count - 1: gabion explores every one. Without gabion, 0. */
#define gabion_choose(count) (__gabion_choose ? __gabion_choose(count) : 0)

/* At file scope: `condition`, about global variables, must hold whenever the process ends by itself with status 0. It is looked
 * at in every run, after all exit handlers. */
#define gabion_assert_at_end(condition) GABION_AT_END_(condition, #condition, GABION_JOIN_(gabion_end_, __COUNTER__))

/* In a function: the same for a function of the program's that gives 0 if something is wrong. */
#define gabion_check_at_end(function)                                                                                          \
    (__gabion_at_end ? __gabion_at_end(function, #function "()", __FILE__, __LINE__) : (void)0)

/* `GABION_WITHIN { ... }`: in a program whose first run enters one, threads are switched only within (and where they
 * block, yield, start or end), in what is called from there too. May be left by return, break, goto or an exception; not by longjmp. */
#define GABION_WITHIN                                                                                                          \
    for (int gabion_within_ __attribute__((cleanup(gabion_leave_))) = gabion_enter_(); gabion_within_; gabion_within_ = 0)

/* The rest is not for use by name. */
#define GABION_JOIN_(a, b) GABION_JOIN_AGAIN_(a, b)
#define GABION_JOIN_AGAIN_(a, b) a##b
#define GABION_AT_END_(condition, text, name)                                                                                  \
    static int name(void) { return !!(condition); }                                                                            \
    __attribute__((constructor)) static void GABION_JOIN_(name, _registers)(void) {                                            \
        if (__gabion_at_end) __gabion_at_end(name, text, __FILE__, __LINE__);                                                  \
    }                                                                                                                          \
    extern int gabion_semicolon_

static inline __attribute__((unused)) int gabion_enter_(void) {
    if (__gabion_within_begin) __gabion_within_begin();
    return 1;
}
static inline __attribute__((unused)) void gabion_leave_(int *unused) {
    (void)unused;
    if (__gabion_within_end) __gabion_within_end();
}

#endif
