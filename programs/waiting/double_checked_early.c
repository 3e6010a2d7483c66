// As double_checked.c, but done is said before it is.
// gabion: verdict=bug kind=assertion location=HERE
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int state; // 0 new, 1 busy, 2 done
static int value;

static void *work(void *arg) {
    int expected = 0;
    if (atomic_load(&state) != 2) {
        if (atomic_compare_exchange_strong(&state, &expected, 1)) {
            atomic_store(&state, 2);
            value = 7;
        } else {
            while (atomic_load(&state) != 2)
                sched_yield();
        }
    }
    assert(value == 7); // HERE
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    work(NULL);
    pthread_join(t, NULL);
    return 0;
}
