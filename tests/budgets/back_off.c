// Two threads that may give way to each other for ever.
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int wants[2], next;

static void *work(void *unused) {
    int me = next++;
    for (;;) {
        wants[me] = 1;
        if (!wants[1 - me])
            break;
        wants[me] = 0;
        sched_yield();
    }
    wants[me] = 0;
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
