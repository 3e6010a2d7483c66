// A thread reads its creator's local variable, which changes meanwhile.
// gabion: verdict=verified races=A-B
// gabion: compilers=gcc,clang
#include <pthread.h>

int got;

static void *work(void *arg) {
    got = *(int *)arg; // @A
    return NULL;
}

int main(void) {
    pthread_t other;
    int value = 1;
    pthread_create(&other, NULL, work, &value);
    value = 2; // @B
    pthread_join(other, NULL);
    value = 3;
    return value != 3;
}
