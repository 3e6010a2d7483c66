// Not freed, but still known: from a global, from inside another block, by a pointer into the middle, from a live stack.
// gabion: verdict=complete
// gabion: args=--leaks --preempt sync
#include <pthread.h>
#include <stdlib.h>

struct node {
    struct node *next;
    char text[24];
};

static struct node *list;
static char *middle;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *put(void *arg) {
    struct node *new = malloc(sizeof *new);
    pthread_mutex_lock(&lock);
    new->next = list;
    list = new;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t t;
    int *volatile local = malloc(sizeof *local);
    *local = 1;
    middle = ((struct node *)malloc(sizeof(struct node)))->text;
    pthread_create(&t, NULL, put, NULL);
    put(NULL);
    pthread_join(t, NULL);
    exit(*local - 1);
}
