// A program for another machine is refused when it is built.
// gabion: verdict=error message="aarch64"
// gabion: args=--compiler clang --cflags --target=aarch64-linux-gnu
// gabion: native=no
#include <pthread.h>

static void *work(void *arg) { return arg; }

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    return 0;
}
