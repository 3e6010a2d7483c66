// Who finds a lock held looks at the clock after who was about to take it.
// gabion: verdict=verified
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long long before, after;

static long long now(void) {
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void *other(void *unused) {
    sleep(3);
    before = now();
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, other, NULL);
    int held = pthread_mutex_trylock(&mutex);
    after = now();
    if (!held)
        pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    assert(!held || before <= after);
    return 0;
}
