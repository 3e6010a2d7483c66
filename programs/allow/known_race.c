// Races are bugs here, but not that of one function.
// gabion: verdict=complete caveat=allowed
// gabion: args=--races deny --allow race@peek
// gabion: native=no
#include <pthread.h>

static int hits;

static int peek(void) {
    return hits;
}

static void *count(void *arg) {
    hits = 1;
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, count, 0);
    int seen = peek();
    pthread_join(thread, 0);
    return seen < 0;
}
