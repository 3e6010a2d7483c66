// A bare spin on a volatile, which is no point of its own here: the loop is seen within a step.
// gabion: verdict=complete
// gabion: compilers=gcc,clang
// gabion: args=--preempt sync
#include <assert.h>
#include <pthread.h>

static volatile int flag;
static int data;

static void *reader(void *arg) {
    while (!flag)
        ;
    assert(data == 42);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, reader, NULL);
    data = 42;
    flag = 1;
    pthread_join(t, NULL);
    return 0;
}
