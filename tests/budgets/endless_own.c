// A loop without an end that changes memory of its own.
#include <pthread.h>

static void *work(void *unused) {
    volatile int x = 0;
    for (;;)
        x++;
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
