// Who holds what another unlocks.
// says: T0 (main) locked m at stranger.c:19 and holds it; T1 (stranger) unlocks it at stranger.c:12.
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static atomic_int locked;

static void *stranger(void *u) {
    // Only in one of two orders.
    if (locked)
        pthread_mutex_unlock(&m);
    return u;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, stranger, NULL);
    pthread_mutex_lock(&m);
    locked = 1;
    pthread_join(t, NULL);
    pthread_mutex_unlock(&m);
    return 0;
}
