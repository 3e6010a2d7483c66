// The twin of check_then_act: one critical section holds both.
// gabion: verdict=complete runs=2
// gabion: args=--preempt sync
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int balance = 100;

static void *withdraw(void *arg) {
    pthread_mutex_lock(&mutex);
    if (balance >= 80)
        balance -= 80;
    pthread_mutex_unlock(&mutex);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, withdraw, NULL);
    withdraw(NULL);
    pthread_join(t, NULL);
    assert(balance == 20);
    return 0;
}
