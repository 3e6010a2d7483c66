// Counters are private to their threads unless one thread's try-lock fails in the middle of the other's section, and then takes
// the other's counter. Only that rare interleaving shows that the counter is shared, and only further ones lose an update.
// gabion: verdict=bug kind=assertion location=HERE
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long counters[16];
static int both;

static void *work(void *arg) {
    pthread_mutex_lock(&mutex);
    counters[0]++;
    pthread_mutex_unlock(&mutex);
    counters[0]++;
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    long *mine = &counters[8];
    if (pthread_mutex_trylock(&mutex) == 0)
        pthread_mutex_unlock(&mutex);
    else
        mine = &counters[0];
    (*mine)++;
    pthread_join(t, NULL);
    both = counters[0] + counters[8];
    assert(both == 3); // HERE
    return 0;
}
