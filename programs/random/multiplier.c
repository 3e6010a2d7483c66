// Numbers that threads have of their own go by a multiplier that all share.
// gabion: verdict=bug kind=assertion
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static void *change(void *arg) {
    unsigned short parameters[7] = {1, 2, 3, 4, 5, 6, 7};
    lcong48(parameters);
    return arg;
}

int main(void) {
    pthread_t t;
    unsigned short q[3] = {1, 2, 3}, r[3] = {1, 2, 3};
    pthread_create(&t, NULL, change, NULL);
    double first = erand48(q), second = erand48(r);
    pthread_join(t, NULL);
    assert(first == second);
    return 0;
}
