// A struct of eight bytes is loaded and then stored, both places shared: another thread may come in between.
// gabion: verdict=complete caveat=whole-copies
#include <pthread.h>

struct pair {
    int a, b;
};
static struct pair x, y;

static void *copy(void *arg) {
    x = y;
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, copy, NULL);
    y.a = 1;
    x.a = 2;
    pthread_join(t, NULL);
    return 0;
}
