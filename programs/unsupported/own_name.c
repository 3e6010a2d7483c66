// Functions of the program whose names begin as those of libraries do that synchronise.
// gabion: verdict=verified
// gabion: args=--cflags -rdynamic
#include <pthread.h>

int timer_begin(int value) { return value + 1; }
static int (*volatile begin)(int) = timer_begin;

static void *work(void *unused) {
    begin(1);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    return begin(1) != 2;
}
