// The same, but who comes second says so before it has said that it waits: it may be let go first, and waits for ever.
// gabion: verdict=bug kind=livelock
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct node {
    _Atomic(struct node *) next;
    atomic_int locked;
};

static _Atomic(struct node *) tail;
static int x;

static void lock(struct node *me) {
    atomic_store(&me->next, NULL);
    struct node *before = atomic_exchange(&tail, me);
    if (before) {
        atomic_store(&before->next, me);
        atomic_store(&me->locked, 1);
        while (atomic_load(&me->locked))
            ;
    }
}

static void unlock(struct node *me) {
    struct node *expected = me;
    if (!atomic_load(&me->next)) {
        if (atomic_compare_exchange_strong(&tail, &expected, NULL))
            return;
        while (!atomic_load(&me->next))
            ;
    }
    atomic_store(&atomic_load(&me->next)->locked, 0);
}

static void *work(void *arg) {
    struct node node;
    lock(&node);
    x++;
    unlock(&node);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    work(NULL);
    pthread_join(t, NULL);
    assert(x == 2);
    return 0;
}
