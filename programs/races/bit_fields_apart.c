// Two bit-fields with a field of no width in between are two memory locations.
// gabion: verdict=verified races=none
// gabion: compilers=gcc,clang
#include <pthread.h>

static struct {
    unsigned left : 4;
    unsigned : 0;
    unsigned right : 4;
} pair;

static void *work(void *arg) {
    pair.left = 1;
    return arg;
}

static void other_work(void) {
    pair.right = 1;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, NULL, work, NULL);
    other_work();
    pthread_join(other, NULL);
    return 0;
}
