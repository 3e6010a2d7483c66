// The read that is spoken of is in a step that begins with something else: the table has it too.
// says: The read of state by T1 (reader) at within_a_step.c:21 and its write at within_a_step.c:23 belong together
// shows: read state (is 0)
// shows: within_a_step.c:21 reader
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { POLLS = 25 };

static atomic_int flag, state;

static void *reader(void *u) {
    int polls;
    for (polls = 0; polls < POLLS; polls++)
        if (atomic_load(&flag))
            break;
    if (polls < POLLS)
        return u;
    // Gave up: checks, then acts.
    int is = atomic_load(&state);
    if (is == 0)
        atomic_store(&state, 2);
    return u;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, reader, 0);
    atomic_store(&state, 1);
    atomic_store(&flag, 1);
    pthread_join(t, 0);
    assert(state == 1);
}
