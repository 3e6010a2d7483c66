// gabion: verdict=verified compilers=gcc,clang
// The twin of at_end.c: main waits. A second check is registered by the threads, twice, and made once.
#include <gabion.h>
#include <pthread.h>
#include <stdlib.h>

static int counter, asked;
gabion_assert_at_end(counter == 1); gabion_assert_at_end(counter > 0);

static int once(void) { return ++asked == 1; }

static void late(void) { gabion_check_at_end(once); }

static void *work(void *unused) {
    counter = 1;
    gabion_check_at_end(once);
    return unused;
}

int main(void) {
    pthread_t thread;
    atexit(late);
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    return 0;
}
