// Blocks have the names of their lines, pointers too.
// says: heap(nodes.c:15)#3
// shows: write heap(nodes.c:15)#3 (0 -> 3)
// shows: &heap(nodes.c:15)#2
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct node {
    int value;
    struct node *next;
};
static struct node *head, *newest[2];
static void push(int value) {
    struct node *n = malloc(sizeof *n);
    n->value = value;
    n->next = head;
    head = n;
}

static void *work(void *u) {
    push(3);
    newest[1] = head;
    return u;
}

int main(void) {
    push(1);
    push(2);
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    newest[0] = head;
    pthread_join(t, NULL);
    assert(newest[0]->value == 2);
    return 0;
}
