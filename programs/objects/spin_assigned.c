// A spin lock is assigned to while another thread may hold it.
// gabion: verdict=bug
#include <assert.h>
#include <pthread.h>

static pthread_spinlock_t lock;
static int inside;

static void *enter(void *arg) {
    pthread_spin_lock(&lock);
    assert(!inside);
    inside = 1;
    inside = 0;
    pthread_spin_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_spin_init(&lock, 0);
    pthread_spinlock_t fresh = lock;
    pthread_create(&t, NULL, enter, NULL);
    lock = fresh;
    enter(NULL);
    pthread_join(t, NULL);
    return 0;
}
