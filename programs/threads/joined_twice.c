// The C library has given back, or to another thread, what the handle of a joined thread points to.
// gabion: verdict=bug kind=use-after-free message="which was joined before" location=HERE
// gabion: native=no
#include <pthread.h>

static void *work(void *arg) { return arg; }

int main(void) {
    pthread_t t, u;
    pthread_create(&t, NULL, work, NULL);
    pthread_create(&u, NULL, work, NULL);
    pthread_join(t, NULL);
    pthread_join(t, NULL); // HERE
    pthread_join(u, NULL);
    return 0;
}
