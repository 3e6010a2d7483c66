// A once object that holds something else was never initialised.
// gabion: verdict=bug kind=lock-misuse message="never initialised" location=HERE
// gabion: native=no
#include <pthread.h>

static pthread_once_t once = 7;

static void set_up(void) {}

static void *work(void *arg) {
    pthread_once(&once, set_up); // HERE
    return arg;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, 0, work, 0);
    pthread_join(other, 0);
    return 0;
}
