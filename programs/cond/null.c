// A null pointer is broadcast to.
// gabion: verdict=bug kind=segfault location=HERE
// gabion: compilers=gcc,clang native=no
#include <pthread.h>

static pthread_cond_t *condition;

static void *work(void *arg) {
    pthread_cond_broadcast(condition); // HERE
    return arg;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, 0, work, 0);
    pthread_join(other, 0);
    return 0;
}
