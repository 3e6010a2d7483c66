// The queue lock of Mellor-Crummey and Scott: everybody spins on a word of their own.
// gabion: verdict=complete
// gabion: compilers=gcc,clang
// gabion: args=--preempt sync
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct node {
    _Atomic(struct node *) next;
    atomic_int locked;
};

static _Atomic(struct node *) tail;
static struct node nodes[2];
static int x;

static void *work(void *arg) {
    struct node *me = arg;
    atomic_store(&me->next, NULL);
    atomic_store(&me->locked, 1);
    struct node *before = atomic_exchange(&tail, me);
    if (before) {
        atomic_store(&before->next, me);
        while (atomic_load(&me->locked))
            ;
    }
    x++;
    struct node *expected = me;
    if (!atomic_load(&me->next)) {
        if (atomic_compare_exchange_strong(&tail, &expected, NULL))
            return NULL;
        while (!atomic_load(&me->next))
            ;
    }
    atomic_store(&atomic_load(&me->next)->locked, 0);
    return NULL;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, &nodes[0]);
    work(&nodes[1]);
    pthread_join(t, NULL);
    assert(x == 2);
    return 0;
}
