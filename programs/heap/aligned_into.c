// Where an aligned block is put is the program's memory.
// gabion: verdict=bug kind=assertion
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static void *volatile place;

static void *work(void *arg) {
    (void)!posix_memalign((void **)&place, 16, 16);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    void *first = place, *second = place;
    pthread_join(t, NULL);
    assert(first == second);
    return 0;
}
