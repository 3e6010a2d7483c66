// Rounds that look the same but for what a library function writes to memory of the thread's own: no livelock.
// gabion: verdict=verified
// gabion: compilers=gcc,clang
#include <pthread.h>
#include <string.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static char text[4000];

static void *work(void *unused) {
    while (strlen(text) < 600) {
        pthread_mutex_lock(&mutex);
        strcat(text, "x");
        pthread_mutex_unlock(&mutex);
    }
    return unused;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    return 0;
}
