// A block is handed over through a queue under a lock.
// gabion: verdict=verified races=none
// gabion: compilers=gcc,clang
#include <pthread.h>
#include <stdlib.h>

struct item {
    struct item *next;
    int value;
};

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static struct item *head;
int got;

static void *producer(void *arg) {
    struct item *item = malloc(sizeof *item);
    item->value = 1;
    pthread_mutex_lock(&m);
    item->next = head;
    head = item;
    pthread_mutex_unlock(&m);
    return arg;
}

static void consumer(void) {
    pthread_mutex_lock(&m);
    struct item *item = head;
    if (item)
        head = item->next;
    pthread_mutex_unlock(&m);
    if (item)
        got = item->value;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, NULL, producer, NULL);
    consumer();
    pthread_join(other, NULL);
    return 0;
}
