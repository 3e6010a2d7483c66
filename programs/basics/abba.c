// Two locks in opposite order.
// gabion: verdict=bug kind=deadlock locked=FIRST locked=SECOND
// gabion: args=--preempt sync
// gabion: compilers=gcc,clang
#include <pthread.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static void *ab(void *arg) {
    pthread_mutex_lock(&a); // FIRST
    pthread_mutex_lock(&b);
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, ab, NULL);
    pthread_mutex_lock(&b); // SECOND
    pthread_mutex_lock(&a);
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    pthread_join(t, NULL);
    return 0;
}
