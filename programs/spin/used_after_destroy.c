// A spin lock is used after it was destroyed.
// gabion: verdict=bug kind=lock-misuse message="was destroyed" location=HERE
// gabion: native=no
#include <pthread.h>

static pthread_spinlock_t lock;

static void *work(void *arg) {
    pthread_spin_lock(&lock); // HERE
    pthread_spin_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t other;
    pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
    work(0);
    pthread_spin_destroy(&lock);
    pthread_create(&other, 0, work, 0);
    pthread_join(other, 0);
    return 0;
}
