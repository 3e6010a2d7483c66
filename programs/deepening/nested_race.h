#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

static int x, y;
static struct {
    bool x, y;
} did[2];

static void *racer(void *arg) {
    long me = (long)arg, other = 1 - me;
    x = x + 1;
    did[me].x = true;
    if (x == 1 && did[other].x) { // an update of x was lost
        y = y + 1;
        did[me].y = true;
        if (y == 1 && did[other].y) // and one of y too
            abort();
    }
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, racer, (void *)0);
    pthread_create(&b, 0, racer, (void *)1);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
