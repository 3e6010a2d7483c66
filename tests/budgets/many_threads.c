// A hundred threads.
#include <pthread.h>

static int x[100];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *mine) {
    pthread_mutex_lock(&mutex);
    ++*(int *)mine;
    x[0]++;
    pthread_mutex_unlock(&mutex);
    return NULL;
}

int main(void) {
    pthread_t threads[100];
    for (int i = 0; i < 100; i++)
        pthread_create(&threads[i], NULL, work, &x[i]);
    for (int i = 0; i < 100; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
