// The signal wakes the thread, which waits again: nobody sets what is waited for.
// says: woke T0 (main), which waited again at woken_in_vain.c:25
// says: What T0 (main) asked for before it waited, set (0)
// says: nobody has changed since
// never: wake-up is lost
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int set, other;

static void *signals(void *u) {
    pthread_mutex_lock(&m);
    other = 1;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    return u;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, signals, 0);
    pthread_mutex_lock(&m);
    while (!set)
        pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    pthread_join(t, 0);
    return other - 1;
}
