// Writes to addresses from a random generator.
// gabion: verdict=bug kind=segfault
// gabion: args=--preempt sync
#include <pthread.h>
#include <stdint.h>

static void *work(void *arg) {
    uint64_t state = 88172645463325252u;
    for (;;) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        *(volatile char *)(uintptr_t)(state & 0x7fffffffffff) = 1;
    }
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    return 0;
}
