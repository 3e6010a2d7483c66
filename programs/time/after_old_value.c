// Who reads the old value looked at the clock before who wrote the new one does.
// gabion: verdict=verified
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

static atomic_int flag;
static long long before, after;
static int seen;

static long long now(void) {
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void *other(void *unused) {
    sleep(3);
    before = now();
    seen = flag;
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, other, NULL);
    flag = 1;
    after = now();
    pthread_join(thread, NULL);
    assert(seen || before <= after);
    return 0;
}
