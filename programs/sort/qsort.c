// qsort writes the array that another thread reads, and its comparison is the program's own code.
// gabion: verdict=bug kind=assertion
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static int numbers[3] = {3, 1, 2};

static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

static void *work(void *arg) {
    qsort(numbers, 3, sizeof *numbers, compare);
    assert(numbers[0] == 1 && numbers[1] == 2 && numbers[2] == 3);
    return arg;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, 0, work, 0);
    assert(numbers[0] == 3);
    pthread_join(other, 0);
    return 0;
}
