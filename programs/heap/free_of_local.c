// What is freed is a local variable.
// gabion: verdict=bug kind=bad-free location=HERE
#include <pthread.h>
#include <stdlib.h>

static void *work(void *arg) {
    int local = 0;
    int *volatile p = &local;
    free(p); // HERE
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    return 0;
}
