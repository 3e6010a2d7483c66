// Each thread stores its own bit-field; both share a byte, so one store may undo the other.
// gabion: verdict=bug kind=assertion
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>

static struct {
    unsigned low : 4, high : 4;
} shared;

static void *work(void *arg) {
    shared.low = 3;
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    shared.high = 5;
    pthread_join(t, NULL);
    assert(shared.low == 3 && shared.high == 5);
    return 0;
}
