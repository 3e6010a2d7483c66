// A thread's number is nobody's once it has ended; whether it has depends on the order.
// gabion: verdict=bug kind=assertion location=HERE
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <unistd.h>

static sem_t ready;
static int number;

static void *work(void *unused) {
    number = gettid();
    sem_post(&ready);
    return unused;
}

int main(void) {
    pthread_t a;
    sem_init(&ready, 0, 0);
    pthread_create(&a, NULL, work, NULL);
    sem_wait(&ready);
    int early = tgkill(getpid(), number, 0);
    pthread_join(a, NULL);
    assert(tgkill(getpid(), number, 0) == -1 && errno == ESRCH);
    assert(early == -1); // HERE
    return 0;
}
