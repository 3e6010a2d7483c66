// One thread initialises a spin lock that another may use before.
// gabion: verdict=bug kind=lock-misuse message="never initialised" location=HERE
// gabion: native=no
#include <pthread.h>

static pthread_spinlock_t lock;

static void *work(void *arg) {
    pthread_spin_trylock(&lock); // HERE
    return arg;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, 0, work, 0);
    pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
    pthread_join(other, 0);
    return 0;
}
