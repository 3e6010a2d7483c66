// A queue for one producer and one consumer, each of which keeps a copy of the other's index and reads the index itself only where the
// copy says that the queue is empty or full. While it spins, each round writes the copy that was there before.
// gabion: verdict=verified
// gabion: args=--mode single
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { SLOTS = 2, ITEMS = 3 };
static int slots[SLOTS];
static _Atomic unsigned head, tail;
static unsigned tail_seen, head_seen; // the consumer's copy, the producer's copy

static void push(int value) {
    unsigned at = atomic_load_explicit(&tail, memory_order_relaxed);
    while (at - head_seen == SLOTS)
        head_seen = atomic_load_explicit(&head, memory_order_acquire);
    slots[at % SLOTS] = value;
    atomic_store_explicit(&tail, at + 1, memory_order_release);
}

static int pop(void) {
    unsigned at = atomic_load_explicit(&head, memory_order_relaxed);
    while (at == tail_seen)
        tail_seen = atomic_load_explicit(&tail, memory_order_acquire);
    int value = slots[at % SLOTS];
    atomic_store_explicit(&head, at + 1, memory_order_release);
    return value;
}

static void *produce(void *unused) {
    for (int i = 1; i <= ITEMS; i++)
        push(i);
    return unused;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, produce, NULL);
    for (int i = 1; i <= ITEMS; i++)
        assert(pop() == i);
    pthread_join(t, NULL);
    return 0;
}
