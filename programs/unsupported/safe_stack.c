// A second stack for what has an address is refused when the program is built.
// gabion: verdict=error message="safe-stack"
// gabion: args=--compiler clang --cflags -fsanitize=safe-stack
// gabion: native=no
#include <pthread.h>

static void *work(void *arg) { return arg; }

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    return 0;
}
