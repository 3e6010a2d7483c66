// Who sees a semaphore with a value looks at the clock after who gave it one.
// gabion: verdict=verified
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>
#include <unistd.h>

static sem_t semaphore;
static long long before, after;

static long long now(void) {
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void *other(void *unused) {
    sleep(3);
    before = now();
    sem_post(&semaphore);
    return unused;
}

int main(void) {
    pthread_t thread;
    int value;
    sem_init(&semaphore, 0, 0);
    pthread_create(&thread, NULL, other, NULL);
    sem_getvalue(&semaphore, &value);
    after = now();
    pthread_join(thread, NULL);
    assert(!value || before <= after);
    return 0;
}
