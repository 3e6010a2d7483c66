// gabion: verdict=complete runs=4 compilers=gcc,clang
// Points only within the scope that the program marks: two, one of them in what it calls, and start and end. It is left by return.
#include <gabion.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int word;

static void bump(void) { word++; }

static int scoped(void) {
    GABION_WITHIN {
        word++;
        bump();
        return 1;
    }
    return 0;
}

static void *other(void *unused) {
    word++;
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, other, NULL);
    word++;
    bump();
    int inside = scoped();
    word++;
    pthread_join(thread, NULL);
    return !inside;
}
