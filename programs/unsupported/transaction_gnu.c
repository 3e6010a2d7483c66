// GNU C's transactions: the library that makes them is refused.
// gabion: verdict=error message="the program calls _ITM_"
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
