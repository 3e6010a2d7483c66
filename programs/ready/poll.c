// poll and select answer by descriptors that are ready, or by time; the kernel writes to memory that was never written.
// gabion: verdict=verified
#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/select.h>
#include <time.h>

static struct pollfd set[512] __attribute__((aligned(4096)));
static char distance[8192];
static atomic_int turns;

static void *work(void *arg) {
    struct timespec from, to;
    (void)distance;
    assert(poll(set, 1, 0) == 0); // a negative descriptor is never ready
    clock_gettime(CLOCK_MONOTONIC, &from);
    assert(poll(set, 1, 1000) == 0);
    clock_gettime(CLOCK_MONOTONIC, &to);
    assert(to.tv_sec > from.tv_sec);
    for (int i = 0; i < 3; i++)
        turns++;
    return arg;
}

static void *other(void *arg) {
    struct timeval short_time = {0, 1000};
    struct timespec bad = {0, 2000000000};
    fd_set none;
    FD_ZERO(&none);
    assert(select(1, &none, 0, 0, &short_time) == 0);
    assert(pselect(0, 0, 0, 0, &bad, 0) == -1 && errno == EINVAL);
    for (int i = 0; i < 3; i++)
        turns++;
    return arg;
}

int main(void) {
    pthread_t a, b;
    set[0].fd = -1;
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, other, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
