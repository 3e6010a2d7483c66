// Spins on a variable of its own stack, which another thread clears.
// gabion: verdict=verified
// gabion: compilers=gcc,clang
#include <pthread.h>
#include <stdatomic.h>

static void *clear(void *arg) {
    atomic_store((atomic_int *)arg, 0);
    return NULL;
}

int main(void) {
    atomic_int wait = 1;
    pthread_t t;
    pthread_create(&t, NULL, clear, &wait);
    while (wait)
        ;
    pthread_join(t, NULL);
    return 0;
}
