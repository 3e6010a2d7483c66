// Under a lock, with all that is read of the result.
// gabion: verdict=verified races=none
#include <assert.h>
#include <pthread.h>
#include <pwd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static unsigned id_of(unsigned user) {
    pthread_mutex_lock(&lock);
    unsigned id = getpwuid(user)->pw_uid;
    pthread_mutex_unlock(&lock);
    return id;
}

static void *work(void *arg) {
    assert(id_of(1) == 1);
    return arg;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, 0, work, 0);
    assert(id_of(0) == 0);
    pthread_join(other, 0);
    return 0;
}
