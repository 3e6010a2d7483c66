// gabion: verdict=complete runs=3 compilers=gcc,clang
// gabion: args=--without bump
// The command line has the last word on what a program marks: the point in bump is sealed.
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
