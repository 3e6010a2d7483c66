// A thousand threads, one after the other: nothing may be used up.
// gabion: verdict=complete runs=1
// gabion: args=--preempt sync
#include <pthread.h>

static void *work(void *arg) { return arg; }

int main(void) {
    for (int i = 0; i < 1000; i++) {
        pthread_t t;
        if (pthread_create(&t, NULL, work, NULL) || pthread_join(t, NULL))
            return 1;
    }
    return 0;
}
