// Three threads; the assertion fails only if two of the three updates are lost.
// gabion: verdict=bug kind=assertion
#include <assert.h>
#include <pthread.h>

static int counter;

static void *increment(void *arg) {
    counter++;
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, increment, NULL);
    pthread_create(&b, NULL, increment, NULL);
    counter++;
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(counter >= 2);
    return 0;
}
