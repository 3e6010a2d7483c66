// The program computes for minutes before it has threads.
#include <pthread.h>

static volatile long x;

static void *work(void *unused) { return unused; }

int main(void) {
    pthread_t a;
    for (long i = 0; i < 20000000000L; i++)
        x++;
    pthread_create(&a, NULL, work, NULL);
    pthread_join(a, NULL);
    return 0;
}
