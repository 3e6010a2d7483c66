// A block is filled after it went into the queue.
// gabion: verdict=verified races=A-B
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
    pthread_mutex_lock(&m);
    item->next = head;
    head = item;
    pthread_mutex_unlock(&m);
    item->value = 1; // @A
    return arg;
}

static void consumer(void) {
    pthread_mutex_lock(&m);
    struct item *item = head;
    if (item)
        head = item->next;
    pthread_mutex_unlock(&m);
    if (item)
        got = item->value; // @B
}

int main(void) {
    pthread_t other;
    pthread_create(&other, NULL, producer, NULL);
    consumer();
    pthread_join(other, NULL);
    return 0;
}
