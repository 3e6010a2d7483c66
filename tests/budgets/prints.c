// Two threads that print very much.
#include <pthread.h>
#include <stdio.h>

static void *work(void *unused) {
    for (int i = 0; i < 100000; i++)
        printf("line %d\n", i);
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
