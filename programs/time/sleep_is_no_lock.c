// "After a second the other thread must be done": sleep orders nothing.
// gabion: verdict=bug kind=assertion location=HERE
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static int done;

static void *work(void *arg) {
    done = 1;
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    sleep(1);
    assert(done); // HERE
    pthread_join(t, NULL);
    return 0;
}
