// A counter in memory of the thread's own is all that tells rounds apart, in each second of which a lock is held.
// gabion: verdict=verified
// gabion: compilers=gcc,clang
#include <pthread.h>
#include <sched.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int count, held;

static void *work(void *unused) {
    while (count < 600) {
        if (held) {
            pthread_mutex_unlock(&mutex);
            count++;
        } else {
            pthread_mutex_lock(&mutex);
        }
        held = !held;
        sched_yield();
    }
    return unused;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    return 0;
}
