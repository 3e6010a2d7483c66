// Optimised, both variables are in the same place, one after the other.
// options: --cflags -O0
// options: --cflags -O2
// options: --cflags -O0 --compiler clang
// options: --cflags -O2 --compiler clang
// object: first in main
// object: second in main
#include <assert.h>
#include <pthread.h>

static int bad;

static void *add(void *p) {
    *(int *)p += 1;
    return NULL;
}

int main(void) {
    {
        int first = 0;
        pthread_t t;
        pthread_create(&t, NULL, add, &first);
        first++;
        pthread_join(t, NULL);
        bad += first != 2;
    }
    {
        int second = 0;
        pthread_t t;
        pthread_create(&t, NULL, add, &second);
        second++;
        pthread_join(t, NULL);
        bad += second != 2;
    }
    assert(bad < 2);
    return 0;
}
