// A race that nobody wants to hear of, beside one that everybody should: the function is named.
// gabion: verdict=verified races=A-A caveat=ignored-races
// gabion: args=--ignore-races 'stat*'
// gabion: compilers=gcc,clang
#include <pthread.h>

static int hits, counter;

static void statistics(void) {
    hits++;
}

static void *work(void *arg) {
    statistics();
    counter++; // @A
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
