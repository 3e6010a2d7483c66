// A free and a read without a lock: of the two orders, one reads freed memory.
// gabion: verdict=bug kind=use-after-free location=HERE allocated=ALLOC freed=FREE runs=2
// gabion: compilers=gcc,clang
// gabion: args=--keep-going
#include <pthread.h>
#include <stdlib.h>

struct node {
    int key, value;
};

static struct node *node;

static struct node *make(int value) {
    struct node *new = malloc(sizeof *new); // ALLOC
    new->value = value;
    return new;
}

static void drop(struct node *old) {
    free(old); // FREE
}

static void *reap(void *arg) {
    drop(node);
    return arg;
}

int main(void) {
    pthread_t t;
    node = make(4);
    pthread_create(&t, NULL, reap, NULL);
    int seen = node->value; // HERE
    pthread_join(t, NULL);
    return seen - 4;
}
