// A loop without an end that changes what threads share.
#include <pthread.h>

static volatile int x;

static void *work(void *unused) {
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
