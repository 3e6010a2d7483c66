// gabion: verdict=bug kind=assertion message=counter compilers=gcc,clang
// Only the check at the end reads what the thread writes, and only between two of its steps is it not yet written.
#include <gabion.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int begun;
static int counter;
gabion_assert_at_end(counter == 1);

static void *work(void *unused) {
    begun = 1;
    counter = 1;
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    while (!begun) sched_yield();
    return 0;
}
