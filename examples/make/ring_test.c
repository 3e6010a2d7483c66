#include "ring.h"
#include <assert.h>
#include <pthread.h>

enum { ELEMENTS = 3 };

static struct ring ring;

static void *writer(void *unused) {
    for (int i = 1; i <= ELEMENTS; i++)
        while (!ring_put(&ring, i))
            ;
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, writer, NULL);
    for (int expected = 1; expected <= ELEMENTS; expected++) {
        int element = 0;
        while (!ring_get(&ring, &element))
            ;
        assert(element == expected);
    }
    pthread_join(thread, NULL);
    return 0;
}
