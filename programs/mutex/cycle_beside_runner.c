// Two threads wait for each other while a third could still run: a deadlock at once.
// gabion: verdict=bug kind=deadlock
// gabion: args=--preempt sync
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static atomic_int x;

static void *ab(void *arg) {
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return arg;
}

static void *ba(void *arg) {
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a);
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return arg;
}

int main(void) {
    pthread_t s, t;
    pthread_create(&s, NULL, ab, NULL);
    pthread_create(&t, NULL, ba, NULL);
    atomic_fetch_add(&x, 1);
    atomic_fetch_add(&x, 1);
    pthread_join(s, NULL);
    pthread_join(t, NULL);
    return 0;
}
