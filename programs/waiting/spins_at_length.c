// A thread that spins on memory and counts, while others could run, in a search that lets it go on at will: no loop without an end.
// gabion: verdict=partial
// gabion: args=--mode single --reduction none --max-accesses 5000000 --max-runs 300
// gabion: compilers=gcc,clang
#include <pthread.h>
#include <stdlib.h>

static int *flag;

static void *idle(void *unused) { return unused; }

static void *spin(void *unused) {
    volatile long n = 0;
    while (*flag != 2)
        n++;
    return unused;
}

int main(void) {
    pthread_t a, b, c;
    flag = calloc(1, sizeof *flag);
    pthread_create(&a, NULL, idle, NULL);
    pthread_create(&b, NULL, idle, NULL);
    pthread_create(&c, NULL, spin, NULL);
    *flag = 2;
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    pthread_join(c, NULL);
    return 0;
}
