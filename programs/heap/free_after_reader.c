// The twin of free_races_with_reader: the reader is done before the node is freed.
// gabion: verdict=verified runs=1
// gabion: compilers=gcc,clang
#include <pthread.h>
#include <stdlib.h>

struct node {
    int key, value;
};

static struct node *node;

static void *read(void *arg) {
    *(int *)arg = node->value;
    return NULL;
}

int main(void) {
    pthread_t t;
    int seen = 0;
    node = malloc(sizeof *node);
    node->value = 4;
    pthread_create(&t, NULL, read, &seen);
    pthread_join(t, NULL);
    free(node);
    return seen - 4;
}
