// As deep_for.c, with the counter and the sum in a struct that a function is handed.
// gabion: verdict=bug kind=assertion location=HERE
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_int flag;

static void *writer(void *arg) {
    atomic_store(&flag, 1);
    return arg;
}

struct rounds {
    int made, seen;
};

static void look(struct rounds *rounds) {
    while (rounds->made++ < 60)
        rounds->seen += atomic_load(&flag);
}

int main(void) {
    pthread_t t;
    int seen = 0;
    pthread_create(&t, NULL, writer, NULL);
    struct rounds rounds = {0, 0};
    look(&rounds);
    seen = rounds.seen;
    pthread_join(t, NULL);
    assert(seen != 31); // HERE
    return 0;
}
