// Main returns without joining: in some runs the thread has not done its work. Here that is the bug.
// gabion: verdict=bug kind=exit
// gabion: args=--preempt sync
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;

static void *work(void *arg) {
    atomic_store(&x, 1);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    return atomic_load(&x) ? 0 : 4;
}
