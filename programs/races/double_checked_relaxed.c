// Double-checked locking with a relaxed first look.
// gabion: verdict=verified races=B-D
// gabion: compilers=gcc,clang
#include <pthread.h>
#include <stdatomic.h>

int got;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static atomic_int ready;
static int table;

static void use(void) {
    if (!atomic_load_explicit(&ready, memory_order_relaxed)) {
        pthread_mutex_lock(&m);
        if (!ready) {
            table = 1; // @B
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
    got = table; // @D
}

int main(void) {
    pthread_t other;
    pthread_create(&other, NULL, work, NULL);
    reader();
    pthread_join(other, NULL);
    return 0;
}
