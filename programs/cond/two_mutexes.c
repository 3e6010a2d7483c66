// Two threads wait on one condition variable, each with a mutex of its own.
// gabion: verdict=bug kind=lock-misuse location=HERE message=different
#include <pthread.h>

static pthread_mutex_t mutexes[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int ready[2];

static void *work(void *arg) {
    int me = arg != NULL;
    pthread_mutex_lock(&mutexes[me]);
    while (!ready[me])
        pthread_cond_wait(&cond, &mutexes[me]); // HERE
    pthread_mutex_unlock(&mutexes[me]);
    return arg;
}

int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, work, NULL);
    pthread_create(&t[1], NULL, work, &cond);
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&mutexes[i]);
        ready[i] = 1;
        pthread_cond_broadcast(&cond);
        pthread_mutex_unlock(&mutexes[i]);
    }
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
