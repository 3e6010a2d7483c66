// gabion: verdict=verified runs=2 compilers=gcc,clang
// A point conflicts with nothing: where all are points anyway it costs no run. The orders of two additions.
#include <gabion.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int sum;

static void *add(void *unused) {
    gabion_preempt();
    sum++;
    gabion_preempt();
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, add, NULL);
    add(NULL);
    pthread_join(thread, NULL);
    return 0;
}
