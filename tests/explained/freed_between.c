// The block is allocated and freed in the middle of long turns: both steps are shown, with their lines.
// says: allocated by T1 (maker) at freed_between.c:19, then freed by T1 (maker) at freed_between.c:25
// shows: allocate heap(freed_between.c:19)
// shows: free heap(freed_between.c:19)

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int work;
static int *_Atomic shared;
static void busy(void) {
    for (int i = 0; i < 9; i++) {
        work++;
    }
}
static void *maker(void *arg) {
    busy();
    int *made = malloc(sizeof *made);
    busy();
    *made = 1;
    shared = made;
    int seen = *made;
    busy();
    free(made);
    busy();
    return seen ? arg : 0;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, maker, 0);
    int *seen = shared;
    if (seen) {
        *seen = 2;
    }
    return pthread_join(t, 0);
}
