#include "ring.h"

bool ring_put(struct ring *ring, int element) {
    unsigned head = atomic_load_explicit(&ring->head, memory_order_relaxed);
    if (head - atomic_load_explicit(&ring->tail, memory_order_acquire) == RING_SIZE)
        return false;
#ifdef PUBLISH_EARLY
    atomic_store_explicit(&ring->head, head + 1, memory_order_release);
    ring->elements[head % RING_SIZE] = element;
#else
    ring->elements[head % RING_SIZE] = element;
    atomic_store_explicit(&ring->head, head + 1, memory_order_release);
#endif
    return true;
}

bool ring_get(struct ring *ring, int *element) {
    unsigned tail = atomic_load_explicit(&ring->tail, memory_order_relaxed);
    if (atomic_load_explicit(&ring->head, memory_order_acquire) == tail)
        return false;
    *element = ring->elements[tail % RING_SIZE];
    atomic_store_explicit(&ring->tail, tail + 1, memory_order_release);
    return true;
}
