// Prints a little in each of many runs, to both streams: none of it may reach the checker's own output.
// gabion: verdict=complete|verified runs=70
// gabion: args=--preempt sync
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

static atomic_int x;

static void *work(void *arg) {
    for (int i = 0; i < 4; i++)
        atomic_fetch_add(&x, 1);
    return arg;
}

int main(void) {
    pthread_t t;
    printf("{\"verdict\":\"nonsense\"}\n");
    pthread_create(&t, NULL, work, NULL);
    work(NULL);
    pthread_join(t, NULL);
    fprintf(stderr, "{\"verdict\":\"nonsense\"}\n");
    fflush(stdout);
    return 0;
}
