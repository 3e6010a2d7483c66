// The twin of cycle_of_three: the lower-numbered fork first.
// gabion: verdict=complete
// gabion: args=--preempt sync
#include <pthread.h>

static pthread_mutex_t fork_[3] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};

static void *eat(void *arg) {
    long i = (long)arg, j = (i + 1) % 3, low = i < j ? i : j, high = i < j ? j : i;
    pthread_mutex_lock(&fork_[low]);
    pthread_mutex_lock(&fork_[high]);
    pthread_mutex_unlock(&fork_[high]);
    pthread_mutex_unlock(&fork_[low]);
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
