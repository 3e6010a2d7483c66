// A plain access after an unlock has a point before it even with --preempt sync: two steps each, C(4,2) = 6.
// gabion: verdict=complete runs=6
// gabion: args=--preempt sync --reduction none
// gabion: compilers=gcc,clang
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int x, y;

static void *work(void *arg) {
    pthread_mutex_lock(&mutex);
    x++;
    pthread_mutex_unlock(&mutex);
    y++;
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    work(NULL);
    pthread_join(t, NULL);
    return 0;
}
