// More threads in turn than the checker has room for: its own limit is not a bug of the program.
// gabion: verdict=complete|partial|error
// gabion: args=--preempt sync
#include <pthread.h>

static void *work(void *arg) { return arg; }

int main(void) {
    for (int i = 0; i < 5000; i++) {
        pthread_t t;
        if (pthread_create(&t, NULL, work, NULL) || pthread_join(t, NULL))
            return 1;
    }
    return 0;
}
