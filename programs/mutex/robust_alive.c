// The owner of a robust mutex has done its last visible work but still lives: try-lock may say EBUSY.
// gabion: verdict=bug kind=assertion location=HERE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t mutex;
static atomic_int done;

static void *dies(void *arg) {
    pthread_mutex_lock(&mutex);
    atomic_store(&done, 1);
    return arg;
}

int main(void) {
    pthread_mutexattr_t attr;
    pthread_t t;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&mutex, &attr);
    pthread_create(&t, NULL, dies, NULL);
    if (atomic_load(&done) == 1)
        assert(pthread_mutex_trylock(&mutex) == EOWNERDEAD); // HERE
    pthread_join(t, NULL);
    return 0;
}
