// An order that the program tells the sanitizer, and nothing else shows: a flag that is not atomic as far as the compiler knows.
// gabion: verdict=verified races=A-B
// gabion: compilers=gcc,clang
#include <pthread.h>
#include <sanitizer/tsan_interface.h>

static volatile int flag;
static int data;

static void *give(void *unused) {
    data = 1;
    __tsan_release((void *)&flag);
    flag = 1; // @A
    return unused;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, give, NULL);
    if (flag) { // @B
        __tsan_acquire((void *)&flag);
        data = 2;
    }
    pthread_join(t, NULL);
    return 0;
}
