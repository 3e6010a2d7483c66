// Main waits for a thread that waits for main's lock. A third thread could end the process first, but a wait-for cycle
// is a deadlock at once.
// gabion: verdict=bug kind=deadlock
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
    pthread_join(a, NULL);
    return 0;
}
