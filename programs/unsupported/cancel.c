// pthread_cancel inside a checked program: one clear message.
// gabion: verdict=error message=pthread_cancel
#include <pthread.h>
#include <unistd.h>

static void *work(void *arg) {
    pause();
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    pthread_cancel(t);
    pthread_join(t, NULL);
    return 0;
}
