// Four bytes that lie in two cache lines are no single access for the hardware, volatile or not.
// gabion: verdict=complete caveat=whole-copies
#include <assert.h>
#include <pthread.h>

static _Alignas(64) char room[128];
struct __attribute__((packed)) wide {
    volatile int v;
};

static void *store(void *arg) {
    ((struct wide *)(room + 62))->v = -1;
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, store, NULL);
    int v = ((struct wide *)(room + 62))->v;
    pthread_join(t, NULL);
    assert(v == 0 || v == -1);
    return 0;
}
