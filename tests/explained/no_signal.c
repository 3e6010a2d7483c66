// The flag is set, and nobody says so.
// says: Nobody signals c in this run, although T1 (sets) changes what it asked for at no_signal.c:13
// never: wake-up is lost
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int set;

static void *sets(void *u) {
    pthread_mutex_lock(&m);
    // The signal is forgotten.
    set = 1;
    pthread_mutex_unlock(&m);
    return u;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, sets, 0);
    pthread_mutex_lock(&m);
    while (!set)
        pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    pthread_join(t, 0);
}
