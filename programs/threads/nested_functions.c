// GNU C's nested functions: their addresses are those of code on the stack, of main and of a thread.
// gabion: verdict=partial caveat=uninstrumented-function
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static void *outer(void *arg) {
    int calls = 0;
    int compare(const void *a, const void *b) {
        calls++;
        return *(const int *)a - *(const int *)b;
    }
    void *inner(void *ignored) {
        calls++;
        return ignored;
    }
    int numbers[] = {3, 1, 2};
    pthread_t thread;
    qsort(numbers, 3, sizeof *numbers, compare);
    pthread_create(&thread, 0, inner, 0);
    pthread_join(thread, 0);
    assert(calls > 2 && numbers[0] == 1);
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, outer, 0);
    outer(0);
    pthread_join(thread, 0);
    return 0;
}
