// gabion: verdict=complete runs=1 compilers=gcc,clang
// gabion: args=--trust add
// The lost update of basics/lost_update.c is in code that is trusted: it is not looked for, and the verdict says so.
#include <assert.h>
#include <pthread.h>

static int sum;

static void add(int n) {
    sum = sum + n;
}

static void *work(void *unused) {
    add(1);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    add(1);
    pthread_join(thread, NULL);
    assert(sum == 2);
    return 0;
}
