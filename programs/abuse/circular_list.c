// Two insertions at the head of a list without a lock: in some orders a node ends up linked to itself, and whoever looks
// for the end never gets there. The step that looks is long against those of the runs before.
// gabion: verdict=bug kind=infinite-loop message=4000000
// gabion: args=--preempt sync
// gabion: compilers=gcc,clang
#include <pthread.h>
#include <stddef.h>

struct node {
    struct node *next;
    int value;
};

static struct node nodes[2];
static struct node *head, *spare = &nodes[0];
static int turns;

static void *insert(void *arg) {
    struct node *mine = spare;
    __atomic_fetch_add(&turns, 1, __ATOMIC_SEQ_CST);
    spare = &nodes[1];
    struct node *old = head;
    mine->next = old;
    head = mine;
    for (int i = 0; i < 3; i++)
        __atomic_fetch_add(&turns, 1, __ATOMIC_SEQ_CST);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, insert, NULL);
    pthread_create(&b, NULL, insert, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    int length = 0;
    for (struct node *n = head; n != NULL; n = n->next)
        length += n->value + 1;
    return length > 2;
}
