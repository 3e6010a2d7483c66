// A loop waits for a flag that no run has seen written yet: it must not count as one that never ends.
// gabion: verdict=verified|partial
// gabion: args=--max-runs 1000
#include <pthread.h>

static volatile int flag;

static void *work(void *arg) {
    flag = 1;
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    while (!flag)
        ;
    pthread_join(t, NULL);
    return 0;
}
