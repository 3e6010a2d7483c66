// Two bit-fields of one word are one memory location.
// gabion: verdict=verified races=A-B
// gabion: compilers=gcc,clang
#include <pthread.h>

static struct {
    unsigned left : 4;
    unsigned right : 4;
} pair;

static void *work(void *arg) {
    pair.left = 1; // @A
    return arg;
}

static void other_work(void) {
    pair.right = 1; // @B
}

int main(void) {
    pthread_t other;
    pthread_create(&other, NULL, work, NULL);
    other_work();
    pthread_join(other, NULL);
    return 0;
}
