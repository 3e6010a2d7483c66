// GNU C's transactions: calls of the library that makes them are refused.
// gabion: verdict=error message="not supported: _ITM_"
// gabion: args=--cflags -fgnu-tm
#include <pthread.h>

static int counter;

static void *work(void *arg) {
    __transaction_atomic { counter++; }
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    work(0);
    pthread_join(thread, 0);
    return 0;
}
