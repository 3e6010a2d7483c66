// Runs of two steps, each with very many accesses, allocations and frees.
#include <pthread.h>
#include <stdlib.h>

static void *work(void *unused) {
    for (int i = 0; i < 200000; i++) {
        char *block = malloc(i % 300 + 1);
        block[0] = 1;
        free(block);
    }
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
