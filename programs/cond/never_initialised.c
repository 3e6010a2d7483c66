// A condition variable in memory that holds something else was never initialised.
// gabion: verdict=bug kind=lock-misuse message="never initialised" location=HERE
// gabion: native=no
#include <pthread.h>
#include <string.h>
#include <time.h>

static pthread_cond_t condition;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *arg) { return arg; }

int main(void) {
    pthread_t other;
    struct timespec soon = {0, 0};
    memset(&condition, 0x55, sizeof condition);
    pthread_create(&other, 0, work, 0);
    pthread_mutex_lock(&lock);
    pthread_cond_timedwait(&condition, &lock, &soon); // HERE
    pthread_mutex_unlock(&lock);
    pthread_join(other, 0);
    return 0;
}
