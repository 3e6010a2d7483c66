// A profile that the C library makes, with its own signals and its own hook at each function, is refused.
// gabion: verdict=error message="-pg"
// gabion: args=--cflags -pg
// gabion: native=no
#include <pthread.h>

static void *work(void *arg) { return arg; }

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    return 0;
}
