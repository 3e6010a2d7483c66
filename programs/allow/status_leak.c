// Leaks are looked for with every status that says that all is well.
// gabion: verdict=bug kind=leak
// gabion: args=--exit-status 0,200 --leaks
// gabion: native=no
#include <pthread.h>
#include <stdlib.h>

static void *work(void *arg) {
    char *volatile block = malloc(10);
    block = 0;
    (void)block;
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    exit(200);
}
