// A loop without an end of which nothing is seen.
#include <pthread.h>

static void *work(void *unused) {
    for (;;)
        __asm__ __volatile__("");
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
