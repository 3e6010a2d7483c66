// Double-checked locking with a flag that is loaded with acquire and stored with release.
// gabion: verdict=verified races=none
// gabion: compilers=gcc,clang
#include <pthread.h>
#include <stdatomic.h>

int got;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static atomic_int ready;
static int table;

static void use(void) {
    if (!atomic_load_explicit(&ready, memory_order_acquire)) {
        pthread_mutex_lock(&m);
        if (!ready) {
            table = 1;
            atomic_store_explicit(&ready, 1, memory_order_release);
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
    got = table;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, NULL, work, NULL);
    reader();
    pthread_join(other, NULL);
    return 0;
}
