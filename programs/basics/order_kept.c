// The twin of order_violation: the pointer is set before the thread exists.
// gabion: verdict=verified runs=1
// gabion: compilers=gcc,clang
#include <pthread.h>

static int cell;
static int *pointer;

static void *user(void *arg) {
    *pointer = 1;
    return arg;
}

int main(void) {
    pthread_t t;
    pointer = &cell;
    pthread_create(&t, NULL, user, NULL);
    pthread_join(t, NULL);
    return cell - 1;
}
