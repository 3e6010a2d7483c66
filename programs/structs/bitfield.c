// Both threads increment one bit-field.
// gabion: verdict=bug kind=assertion
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>

static struct {
    unsigned low : 4, high : 4;
} shared;

static void *work(void *arg) {
    shared.low++;
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    shared.low++;
    pthread_join(t, NULL);
    assert(shared.low == 2);
    return 0;
}
