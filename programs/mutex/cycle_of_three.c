// Three philosophers, each with the left fork first.
// gabion: verdict=bug kind=deadlock
// gabion: args=--preempt sync
#include <pthread.h>

static pthread_mutex_t fork_[3] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};

static void *eat(void *arg) {
    long i = (long)arg;
    pthread_mutex_lock(&fork_[i]);
    pthread_mutex_lock(&fork_[(i + 1) % 3]);
    pthread_mutex_unlock(&fork_[(i + 1) % 3]);
    pthread_mutex_unlock(&fork_[i]);
    return NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, eat, (void *)1);
    pthread_create(&b, NULL, eat, (void *)2);
    eat((void *)0);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
