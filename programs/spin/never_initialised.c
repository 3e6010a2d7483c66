// A spin lock in zeroed memory was never initialised; on x86 nobody would ever get it.
// gabion: verdict=bug kind=lock-misuse message="never initialised" location=HERE
// gabion: compilers=gcc,clang native=no
#include <pthread.h>

static pthread_spinlock_t lock;
static int shared;

static void *work(void *arg) {
    pthread_spin_lock(&lock); // HERE
    shared++;
    pthread_spin_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, 0, work, 0);
    pthread_join(other, 0);
    return 0;
}
