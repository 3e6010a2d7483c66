// A key is created, and where it is to be put there is nothing.
// gabion: verdict=bug kind=segfault location=HERE
// gabion: native=no
#include <pthread.h>

static pthread_key_t *key;

static void *work(void *arg) {
    pthread_key_create(key, NULL); // HERE
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    return 0;
}
