// Who waits for a plain flag looks at the clock after who set it, in the run that finds that threads meet there too.
// gabion: verdict=verified
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

static volatile int done;
static long long before, after;

static long long now(void) {
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void *other(void *unused) {
    sleep(3);
    before = now();
    done = 1;
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, other, NULL);
    while (!done)
        ;
    after = now();
    pthread_join(thread, NULL);
    assert(before <= after);
    return 0;
}
