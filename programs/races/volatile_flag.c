// A message with a volatile flag, which orders nothing.
// gabion: verdict=verified races=A-D,B-C
// gabion: compilers=gcc,clang
#include <pthread.h>

static volatile int flag;
static int data;
int got;

static void *writer(void *arg) {
    data = 1; // @A
    flag = 1; // @B
    return arg;
}

static void reader(void) {
    if (flag) // @C
        got = data; // @D
}

int main(void) {
    pthread_t other;
    pthread_create(&other, NULL, writer, NULL);
    reader();
    pthread_join(other, NULL);
    return 0;
}
