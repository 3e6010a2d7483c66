// A local of main that threads get a pointer to: they find main where it waits for them.
// options: --cflags -O0
// options: --cflags -O2
// options: --cflags -O0 --compiler clang
// options: --cflags -O2 --compiler clang
// object: counter in main
// says: T0 (main) reads counter in main
#include <assert.h>
#include <pthread.h>

static void *work(void *counter) {
    *(int *)counter += 1;
    return NULL;
}

int main(void) {
    int counter = 0;
    pthread_t a, b;
    pthread_create(&a, NULL, work, &counter);
    pthread_create(&b, NULL, work, &counter);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(counter == 2);
    return 0;
}
