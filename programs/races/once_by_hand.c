// Two threads set something up if a plain flag says that nobody has.
// gabion: verdict=verified races=A-C,B-B,C-C
// gabion: compilers=gcc,clang
#include <pthread.h>

static int done;
static int table;

static void *work(void *arg) {
    if (!done) { // @A
        table = 1; // @B
        done = 1; // @C
    }
    return arg;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, NULL, work, NULL);
    work(NULL);
    pthread_join(other, NULL);
    return 0;
}
