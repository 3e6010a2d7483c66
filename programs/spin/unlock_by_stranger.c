// A spin lock is unlocked by who does not hold it.
// gabion: verdict=bug kind=lock-misuse location=HERE
#include <pthread.h>

static pthread_spinlock_t lock;

static void *work(void *arg) {
    pthread_spin_unlock(&lock); // HERE
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
    pthread_spin_lock(&lock);
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    return 0;
}
