// gabion: verdict=bug kind=assertion location=HERE compilers=gcc,clang
// gabion: args=--preempt voluntary
// The only point is the one that the program names.
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
    assert(counter == 2);  // HERE
    return 0;
}
