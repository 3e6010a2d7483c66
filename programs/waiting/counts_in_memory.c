// A round counts in memory of its own, and gives up at the hundredth: a loop that counts, however it looks.
// gabion: verdict=bug kind=assertion location=HERE
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static _Atomic int flag;
static int rounds;

static void *set(void *unused) {
    atomic_store(&flag, 1);
    return unused;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, set, NULL);
    while (!atomic_load(&flag) && rounds < 100)
        rounds++;
    assert(rounds < 100); // HERE
    pthread_join(t, NULL);
    return 0;
}
