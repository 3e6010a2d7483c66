// The last word counts: stacks are not in pieces.
// gabion: verdict=verified
// gabion: args=--cflags "-fsplit-stack -fno-split-stack"
// gabion: native=no
#include <pthread.h>

static void *work(void *arg) { return arg; }

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    return 0;
}
