// Double-checked locking with a plain flag.
// gabion: verdict=verified races=A-C,B-D
// gabion: compilers=gcc,clang
#include <pthread.h>
#include <stdatomic.h>

int got;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int ready;
static int table;

static void use(void) {
    if (!ready) { // @A
        pthread_mutex_lock(&m);
        if (!ready) {
            table = 1; // @B
            ready = 1; // @C
        }
        pthread_mutex_unlock(&m);
    }
}

static void *work(void *arg) {
    use();
    return arg;
}

static void reader(void) {
    use();
    got = table; // @D
}

int main(void) {
    pthread_t other;
    pthread_create(&other, NULL, work, NULL);
    reader();
    pthread_join(other, NULL);
    return 0;
}
