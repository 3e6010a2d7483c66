// The twin of trylock: the answer is ignored.
// gabion: verdict=bug kind=assertion location=HERE
// gabion: args=--preempt sync
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_int inside;

static void *work(void *arg) {
    int mine = pthread_mutex_trylock(&mutex) == 0;
    assert(atomic_fetch_add(&inside, 1) == 0); // HERE
    atomic_fetch_sub(&inside, 1);
    if (mine)
        pthread_mutex_unlock(&mutex);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    work(NULL);
    pthread_join(t, NULL);
    return 0;
}
