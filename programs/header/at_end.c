// gabion: verdict=bug kind=assertion message=counter compilers=gcc,clang
// What must hold at the end is looked at in every run, after main is over; main does not wait for the thread.
#include <gabion.h>
#include <pthread.h>

static int counter;
gabion_assert_at_end(counter == 1);

static void *work(void *unused) {
    counter = 1;
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    return 0;
}
