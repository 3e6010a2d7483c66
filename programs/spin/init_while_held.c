// A spin lock is initialised again while another thread may hold it.
// gabion: verdict=bug kind=assertion|lock-misuse
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_spinlock_t lock;
static atomic_int inside;

static void *work(void *arg) {
    pthread_spin_lock(&lock);
    assert(atomic_fetch_add(&inside, 1) == 0);
    atomic_fetch_sub(&inside, 1);
    pthread_spin_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t other;
    pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
    pthread_create(&other, 0, work, 0);
    pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
    work(0);
    pthread_join(other, 0);
    return 0;
}
