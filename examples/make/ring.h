/* A ring buffer for one writer and one reader, without locks. */
#ifndef RING_H
#define RING_H

#include <stdatomic.h>
#include <stdbool.h>

#define RING_SIZE 2 /* a power of two */

struct ring {
    _Atomic unsigned head; /* elements written so far */
    _Atomic unsigned tail; /* elements read so far */
    int elements[RING_SIZE];
};

/* False if the ring is full. */
bool ring_put(struct ring *ring, int element);
/* False if the ring is empty. */
bool ring_get(struct ring *ring, int *element);

#endif
