// The same with points at synchronisation only: no choice is left, 1 run.
// gabion: verdict=complete runs=1
// gabion: args=--preempt sync
#include <pthread.h>

static int x, y;

static void *work(void *arg) {
    x++;
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
