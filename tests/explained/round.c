// Where a step that does not end was last.
// gabion: --max-accesses 20000
// says: and does not end: it was seen at round.c:20 last
#include <pthread.h>

static int next[2] = {1, 2};

static void *close_it(void *u) {
    next[1] = 0;
    return u;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, close_it, NULL);
    pthread_join(t, NULL);
    int at = 0, length = 0;
    // A list that ends at 2, and goes round once somebody has closed it.
    while (at != 2)
        length += at, at = next[at];
    return length;
}
