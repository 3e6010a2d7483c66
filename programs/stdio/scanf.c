// sscanf writes to the program's variables, here another thread's.
// gabion: verdict=bug kind=assertion
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static void *work(void *to) {
    assert(sscanf("17", "%d", (int *)to) == 1);
    return 0;
}

int main(void) {
    pthread_t other;
    volatile int number = 0;
    pthread_create(&other, 0, work, (void *)&number);
    assert(number == 0);
    pthread_join(other, 0);
    return 0;
}
