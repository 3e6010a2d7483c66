// A thread reads, goes round a loop that changes nothing, and writes what it has read, one more. It never waits: to leave it
// in the loop, which was taken to wait, is what the lost update needs.
// gabion: verdict=bug kind=assertion
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int counter, other;

static void *slow(void *unused) {
    int seen = atomic_load(&counter);
    for (int i = 0; i < 30; i++)
        atomic_fetch_add(&other, 0);
    atomic_store(&counter, seen + 1);
    return unused;
}

static void *quick(void *unused) {
    atomic_fetch_add(&counter, 1);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, slow, NULL);
    pthread_create(&b, NULL, quick, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(counter == 2);
    return 0;
}
