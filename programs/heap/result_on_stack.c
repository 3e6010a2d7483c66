// A thread returns the address of its own variable: its stack is gone when it is joined.
// gabion: verdict=bug kind=use-after-free location=HERE created=CREATE message=stack
// gabion: compilers=gcc,clang
#include <pthread.h>
#include <stdlib.h>

static void *work(void *arg) {
    int local = 3;
    int *volatile result = &local;
    (void)arg;
    return result;
}

int main(void) {
    pthread_t t;
    void *result;
    pthread_create(&t, NULL, work, NULL); // CREATE
    pthread_join(t, &result);
    return *(int *)result - 3; // HERE
}
