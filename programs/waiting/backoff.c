// Pauses that grow: the state never repeats, at first. Once the pause has run over, it does: with twice the rounds, twice, the loop is sure to wait, and nothing is left to a guess.
// gabion: verdict=complete
// gabion: compilers=gcc,clang
// gabion: args=--preempt sync
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_int lock;
static int x;

static void *work(void *arg) {
    for (unsigned pause = 1; atomic_exchange(&lock, 1); pause *= 2)
        usleep(pause);
    x++;
    atomic_store(&lock, 0);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    work(NULL);
    pthread_join(t, NULL);
    assert(x == 2);
    return 0;
}
