// A packed, unaligned member: the lost update across a word boundary.
// gabion: verdict=bug kind=assertion
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>

static struct __attribute__((packed)) {
    char pad[5];
    long value;
} shared;

static void *work(void *arg) {
    shared.value++;
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    shared.value++;
    pthread_join(t, NULL);
    assert(shared.value == 2);
    return 0;
}
