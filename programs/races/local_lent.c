// A thread reads its creator's local variable.
// gabion: verdict=verified races=none
// gabion: compilers=gcc,clang
#include <pthread.h>

int got;

static void *work(void *arg) {
    got = *(int *)arg;
    return NULL;
}

int main(void) {
    pthread_t other;
    int value = 1;
    pthread_create(&other, NULL, work, &value);
    pthread_join(other, NULL);
    value = 3;
    return value != 3;
}
