// gabion: verdict=bug kind=assertion location=HERE compilers=gcc,clang
// One value in five is wrong, and gabion finds it.
#include <assert.h>
#include <gabion.h>
#include <pthread.h>

static int size;

static void *work(void *unused) {
    size = gabion_choose(5);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    assert(size != 3);  // HERE
    return 0;
}
