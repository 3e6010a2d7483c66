// A plain flag and a counter, switched only at synchronisation: that the loop has no points makes it no endless loop.
// gabion: verdict=partial
// gabion: args=--preempt sync --max-runs 3
#include <pthread.h>

static int flag;

static void *setter(void *arg) {
    flag = 1;
    return arg;
}

int main(void) {
    pthread_t t;
    int rounds = 0;
    pthread_create(&t, NULL, setter, NULL);
    while (!flag)
        rounds++;
    pthread_join(t, NULL);
    return rounds < 0;
}
