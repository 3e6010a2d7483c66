// A balance is checked and then reduced, without a lock around both.
// gabion: verdict=bug kind=assertion
// gabion: args=--preempt sync
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int balance = 100;

static int read_balance(void) {
    pthread_mutex_lock(&mutex);
    int now = balance;
    pthread_mutex_unlock(&mutex);
    return now;
}

static void *withdraw(void *arg) {
    if (read_balance() >= 80) {
        pthread_mutex_lock(&mutex);
        balance -= 80;
        pthread_mutex_unlock(&mutex);
    }
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, withdraw, NULL);
    withdraw(NULL);
    pthread_join(t, NULL);
    assert(balance >= 0);
    return 0;
}
