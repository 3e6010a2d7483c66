// A counter under a spin lock.
// gabion: verdict=verified races=none
// gabion: compilers=gcc,clang
#include <pthread.h>

static pthread_spinlock_t lock;
static int counter;

static void *work(void *arg) {
    pthread_spin_lock(&lock);
    counter++;
    pthread_spin_unlock(&lock);
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
