// Its twin: what is read goes to a variable of the thread's own.
// gabion: verdict=verified
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static void *work(void *arg) {
    int number;
    char word[8];
    assert(sscanf("17 four", "%d %7s", &number, word) == 2);
    assert(number == 17 && word[0] == 'f');
    return arg;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, 0, work, 0);
    work(0);
    pthread_join(other, 0);
    return 0;
}
