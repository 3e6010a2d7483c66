// A message with an atomic flag.
// gabion: verdict=verified races=none
// gabion: compilers=gcc,clang
#include <pthread.h>

static _Atomic int flag;
static int data;
int got;

static void *writer(void *arg) {
    data = 1;
    flag = 1;
    return arg;
}

static void reader(void) {
    if (flag)
        got = data;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, NULL, writer, NULL);
    reader();
    pthread_join(other, NULL);
    return 0;
}
