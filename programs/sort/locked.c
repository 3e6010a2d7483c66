// Its twin: both under a lock, which the comparison takes part in.
// gabion: verdict=verified
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static int numbers[3] = {3, 1, 2};
static int compared;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, count = PTHREAD_MUTEX_INITIALIZER;

static int compare(const void *a, const void *b) {
    pthread_mutex_lock(&count);
    compared++;
    pthread_mutex_unlock(&count);
    return *(const int *)a - *(const int *)b;
}

static void *work(void *arg) {
    pthread_mutex_lock(&mutex);
    qsort(numbers, 3, sizeof *numbers, compare);
    pthread_mutex_unlock(&mutex);
    return arg;
}

int main(void) {
    pthread_t other;
    int two = 2;
    pthread_create(&other, 0, work, 0);
    pthread_mutex_lock(&mutex);
    assert(numbers[0] == 3 || (numbers[0] == 1 && numbers[2] == 3));
    if (numbers[0] == 1)
        assert(bsearch(&two, numbers, 3, sizeof two, compare) == &numbers[1]);
    pthread_mutex_unlock(&mutex);
    pthread_join(other, 0);
    assert(compared >= 2);
    return 0;
}
