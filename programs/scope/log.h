// Three threads note what they do in a log that all of them write without a lock, eight times each, and then do one thing that
// matters.
#include <pthread.h>
#include <stdatomic.h>

static int noted, last;
static atomic_int total;

static void write_note(int what) {
    noted = noted + 1;
    last = what;
}

static void note(int what) {
    for (int i = 0; i < 8; i++) write_note(what);
}

static void *work(void *number) {
    note((int)(long)number);
    total++;
    return NULL;
}

int main(void) {
    pthread_t threads[3];
    for (long i = 0; i < 3; i++) pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
    return 0;
}
