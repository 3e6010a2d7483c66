// An alternate stack is a thread's own, and told from and to the program's memory.
// gabion: verdict=bug kind=assertion location=HERE
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>

static char memory[65536];
static stack_t told = {.ss_flags = 1234};

static void *ask(void *unused) {
    stack_t none;
    assert(sigaltstack(NULL, &none) == 0 && none.ss_flags == SS_DISABLE);
    sigaltstack(NULL, &told);
    return unused;
}

static void *look(void *unused) {
    assert(told.ss_flags != 1234); // HERE
    return unused;
}

int main(void) {
    pthread_t a, b;
    stack_t own = {.ss_sp = memory, .ss_size = sizeof memory}, now;
    assert(sigaltstack(&own, NULL) == 0);
    pthread_create(&a, NULL, ask, NULL);
    pthread_create(&b, NULL, look, NULL);
    assert(sigaltstack(NULL, &now) == 0 && now.ss_sp == memory);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
