// A loop polls the clock and a flag until a second has passed; both ways out of it are explored.
// gabion: verdict=bug kind=assertion location=HERE
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

static atomic_int ready;

static void *set(void *unused) {
    ready = 1;
    return unused;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, NULL, set, NULL);
    time_t began = time(NULL);
    while (!ready && time(NULL) - began < 2)
        ;
    assert(ready); // HERE
    pthread_join(a, NULL);
    return 0;
}
