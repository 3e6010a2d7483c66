// Two threads that fill in one object of attributes race.
// gabion: verdict=bug kind=race
// gabion: args=--races deny
#include <pthread.h>

static pthread_condattr_t attributes;

static void *fill(void *arg) {
    pthread_condattr_init(&attributes);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, fill, NULL);
    pthread_condattr_setclock(&attributes, 1);
    pthread_join(t, NULL);
    return 0;
}
