// The same, but the other thread clears it only if it may.
// gabion: verdict=bug kind=livelock location=HERE
// gabion: compilers=gcc,clang
#include <pthread.h>
#include <stdatomic.h>

static atomic_int allowed;

static void *clear(void *arg) {
    if (allowed)
        atomic_store((atomic_int *)arg, 0);
    return NULL;
}

int main(void) {
    atomic_int wait = 1;
    pthread_t t;
    pthread_create(&t, NULL, clear, &wait);
    allowed = 1;
    while (wait) // HERE
        ;
    pthread_join(t, NULL);
    return 0;
}
