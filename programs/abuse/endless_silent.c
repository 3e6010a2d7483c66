// A step that does not end, with nothing inside that a hook could see: only the watchdog helps.
// gabion: verdict=bug kind=infinite-loop
// gabion: args=--preempt sync --watchdog 500ms
#include <pthread.h>

static void *work(void *arg) {
    for (;;)
        __asm__ volatile("");
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    return 0;
}
