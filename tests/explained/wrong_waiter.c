// A signal may wake the wrong one of two: that is all the difference to a run that passes, though main asks in another number
// of rounds there.
// says: did not wake T1 (waits) but T2 (waits)
// shows: ("signal c") wakes T1 instead of T2.
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int turn, in;

static void *waits(void *number) {
    pthread_mutex_lock(&m);
    in++;
    while (turn != *(int *)number)
        pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    return 0;
}

static void let(int number) {
    pthread_mutex_lock(&m);
    turn = number;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
}

int main(void) {
    pthread_t a, b;
    int one = 1, two = 2, waiting = 0;
    pthread_create(&a, 0, waits, &one);
    pthread_create(&b, 0, waits, &two);
    while (waiting < 2) {
        pthread_mutex_lock(&m);
        waiting = in;
        pthread_mutex_unlock(&m);
    }
    let(1);
    pthread_join(a, 0);
    let(2);
    pthread_join(b, 0);
}
