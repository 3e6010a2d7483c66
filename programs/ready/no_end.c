// To wait without end for something outside cannot be modelled.
// gabion: verdict=error native=no
#include <poll.h>
#include <pthread.h>

static void *work(void *arg) {
    struct pollfd none = {.fd = -1};
    poll(&none, 1, -1);
    return arg;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, 0, work, 0);
    pthread_join(other, 0);
    return 0;
}
