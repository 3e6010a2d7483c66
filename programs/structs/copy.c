// A pair is copied as a struct while another thread changes its fields one after the other.
// gabion: verdict=bug kind=assertion
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>

struct pair {
    long left, right;
};
static struct pair shared;

static void *work(void *arg) {
    shared.left = 1;
    shared.right = 1;
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    struct pair copy = shared;
    pthread_join(t, NULL);
    assert(copy.left == copy.right);
    return 0;
}
