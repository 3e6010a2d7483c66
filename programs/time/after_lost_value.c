// Whose value is overwritten looked at the clock before who overwrote it does.
// gabion: verdict=verified
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

static atomic_int word;
static long long before, after;

static long long now(void) {
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void *other(void *unused) {
    sleep(3);
    before = now();
    word = 1;
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, other, NULL);
    word = 2;
    after = now();
    pthread_join(thread, NULL);
    assert(word == 1 || before <= after);
    return 0;
}
