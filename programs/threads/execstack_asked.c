// No nested function, but the linker was told that stacks hold code: instructions on a thread's stack run.
// gabion: verdict=complete caveat=fewer-points
// gabion: args=--cflags -Wl,-z,execstack --preempt sync
#include <assert.h>
#include <pthread.h>
#include <string.h>

static void *work(void *arg) {
    unsigned char code[16] __attribute__((aligned(16)));
    static const unsigned char return_7[] = {0xb8, 7, 0, 0, 0, 0xc3};
    memcpy(code, return_7, sizeof return_7);
    assert(((int (*)(void))(void *)code)() == 7);
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    work(0);
    pthread_join(thread, 0);
    return 0;
}
