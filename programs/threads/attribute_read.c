// What a call says of attributes is written to the program's variable, which another thread reads.
// gabion: verdict=bug kind=assertion compilers=gcc,clang
#include <assert.h>
#include <pthread.h>

static pthread_attr_t attributes;
static volatile int state = 7;

static void *ask(void *arg) {
    pthread_attr_getdetachstate(&attributes, (int *)&state);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_attr_init(&attributes);
    pthread_create(&t, NULL, ask, NULL);
    int seen = state;
    pthread_join(t, NULL);
    assert(seen == 7);
    return 0;
}
