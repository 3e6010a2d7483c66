// A function that gabion does not model is part of the program, and this input does not call it.
// gabion: verdict=verified races=none
// gabion: compilers=gcc,clang
#include <pthread.h>
#include <sys/eventfd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int (*const table[])(int, eventfd_t *) = {eventfd_read};
static int counter;

static void *work(void *unused) {
    if (unused) {
        eventfd_t value;
        table[0](eventfd(0, 0), &value);
    }
    pthread_mutex_lock(&mutex);
    counter++;
    pthread_mutex_unlock(&mutex);
    return 0;
}

int main(int count, char **words) {
    pthread_t thread;
    pthread_create(&thread, 0, work, count > 1 ? words : 0);
    work(0);
    pthread_join(thread, 0);
    return counter != 2;
}
