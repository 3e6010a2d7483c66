// The twin of double_free_race.
// gabion: verdict=verified
#include <pthread.h>
#include <stdlib.h>

static int *item;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *take(void *arg) {
    pthread_mutex_lock(&lock);
    int *mine = item;
    item = NULL;
    pthread_mutex_unlock(&lock);
    free(mine);
    return arg;
}

int main(void) {
    pthread_t t;
    item = malloc(sizeof *item);
    pthread_create(&t, NULL, take, NULL);
    take(NULL);
    pthread_join(t, NULL);
    return 0;
}
