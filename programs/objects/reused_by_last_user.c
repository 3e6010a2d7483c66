// The last user of a lock clears it for something else, which the lock itself orders after the other's use: no race.
// gabion: verdict=verified
// gabion: races=none
#include <pthread.h>
#include <string.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int users = 2;

static void *use(void *arg) {
    pthread_mutex_lock(&m);
    int left = --users;
    pthread_mutex_unlock(&m);
    if (left == 0)
        memset(&m, 0xff, sizeof m);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, use, NULL);
    use(NULL);
    pthread_join(t, NULL);
    return 0;
}
