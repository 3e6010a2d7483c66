// So is a non-zero return from main, if only one interleaving gives it.
// gabion: verdict=bug kind=exit
#include <pthread.h>

static int x;

static void *work(void *arg) {
    x++;
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    x++;
    pthread_join(t, NULL);
    return x == 2 ? 0 : 1;
}
