// Main joins A, A joins B, B joins main: nobody ends.
// gabion: verdict=bug kind=deadlock
// gabion: args=--preempt sync
#include <pthread.h>

static pthread_t main_thread;

static void *b(void *arg) {
    pthread_join(main_thread, NULL);
    return arg;
}

static void *a(void *arg) {
    pthread_t t;
    pthread_create(&t, NULL, b, NULL);
    pthread_join(t, NULL);
    return arg;
}

int main(void) {
    pthread_t t;
    main_thread = pthread_self();
    pthread_create(&t, NULL, a, NULL);
    pthread_join(t, NULL);
    return 0;
}
