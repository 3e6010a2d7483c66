// A thread publishes the address of its own variable and goes on. Only if it ends before the other comes to look is it an error,
// and only its end leads there.
// gabion: verdict=bug kind=use-after-free location=HERE created=CREATE message=stack
// gabion: compilers=gcc,clang
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static _Atomic(int *) box;
static pthread_mutex_t other = PTHREAD_MUTEX_INITIALIZER;

static void *publish(void *arg) {
    int local = 3;
    atomic_store(&box, &local);
    pthread_mutex_lock(&other);
    pthread_mutex_unlock(&other);
    return arg;
}

int main(void) {
    pthread_t t;
    int seen = 3;
    pthread_create(&t, NULL, publish, NULL); // CREATE
    int *p = atomic_load(&box);
    if (p)
        seen = *p; // HERE
    pthread_join(t, NULL);
    return seen - 3;
}
