// The same with points at synchronisation only: the one choice left is after the create, C(2,1) runs.
// gabion: verdict=complete runs=2
// gabion: args=--preempt sync --reduction none
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
