// Spin locks exclude, and a waiting thread does not spin the search.
// gabion: verdict=verified
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>

static pthread_spinlock_t lock;
static int x;

static void *work(void *arg) {
    pthread_spin_lock(&lock);
    x++;
    pthread_spin_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
    pthread_create(&t, NULL, work, NULL);
    work(NULL);
    pthread_join(t, NULL);
    assert(x == 2);
    pthread_spin_destroy(&lock);
    return 0;
}
