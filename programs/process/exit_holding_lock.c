// A thread ends the process while main holds a lock that another wants: still a proper end.
// gabion: verdict=complete
// gabion: args=--preempt sync
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *ends(void *arg) {
    exit(0);
    return arg;
}

static void *wants(void *arg) {
    pthread_mutex_lock(&mutex);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_mutex_lock(&mutex);
    pthread_create(&a, NULL, wants, NULL);
    pthread_create(&b, NULL, ends, NULL);
    pthread_join(b, NULL);
    return 1;
}
