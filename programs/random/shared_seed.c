// rand has one hidden state for all threads: who calls first gets the first number.
// gabion: verdict=bug kind=assertion
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static void *work(void *arg) {
    (void)arg;
    return (void *)(long)rand();
}

int main(void) {
    pthread_t t;
    srand(1);
    int expected = rand();
    srand(1);
    pthread_create(&t, NULL, work, NULL);
    int mine = rand();
    pthread_join(t, NULL);
    assert(mine == expected);
    return 0;
}
