// gabion: verdict=complete compilers=gcc,clang
// gabion: args=--preempt voluntary --without add
// A point that the program names can be sealed like any other (thesis §3.4.1).
#include <assert.h>
#include <gabion.h>
#include <pthread.h>

static int counter;

static void *add(void *unused) {
    int seen = counter;
    gabion_preempt();
    counter = seen + 1;
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, add, NULL);
    add(NULL);
    pthread_join(thread, NULL);
    assert(counter == 2);
    return 0;
}
