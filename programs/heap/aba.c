// The twin of aba_recycled without reuse of addresses: the exchange notices, and the verdict says what was left out.
// gabion: verdict=verified caveat=address-reuse
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
    struct node *_Atomic next;
};

static struct node *_Atomic top, *_Atomic taken;

static struct node *pop(void) {
    for (;;) {
        struct node *first = atomic_load(&top);
        if (!first)
            return NULL;
        struct node *next = first->next;
        if (atomic_compare_exchange_strong(&top, &first, next))
            return first;
    }
}

static void push(struct node *node) {
    node->next = atomic_load(&top);
    atomic_store(&top, node); // nobody else pushes
}

// Takes both nodes out and puts a new one in.
static void *other(void *arg) {
    struct node *a = pop(), *b = pop();
    atomic_store(&taken, b);
    free(a);
    push(malloc(sizeof(struct node)));
    return arg;
}

int main(void) {
    pthread_t t;
    struct node *nodes[2] = {malloc(sizeof(struct node)), malloc(sizeof(struct node))};
    push(nodes[0]);
    push(nodes[1]);
    pthread_create(&t, NULL, other, NULL);
    struct node *first = nodes[1], *next = nodes[0]; // as it was when this thread looked
    if (atomic_compare_exchange_strong(&top, &first, next))
        assert(atomic_load(&taken) != next);
    pthread_join(t, NULL);
    return 0;
}
