// The queue lock of Mellor-Crummey and Scott with its nodes on the stacks of those who wait, and points everywhere.
// gabion: verdict=verified
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
    atomic_store(&me->locked, 1);
    struct node *before = atomic_exchange(&tail, me);
    if (before) {
        atomic_store(&before->next, me);
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
