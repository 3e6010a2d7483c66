// A spin lock is released before the counter is touched.
// gabion: verdict=verified races=A-A
// gabion: compilers=gcc,clang
#include <pthread.h>

static pthread_spinlock_t lock;
static int counter;

static void *work(void *arg) {
    pthread_spin_lock(&lock);
    pthread_spin_unlock(&lock);
    counter++; // @A
    return arg;
}

int main(void) {
    pthread_t other;
    pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
    pthread_create(&other, NULL, work, NULL);
    work(NULL);
    pthread_join(other, NULL);
    return 0;
}
