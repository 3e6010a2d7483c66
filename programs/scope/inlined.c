// gabion: verdict=complete runs=5 compilers=gcc,clang
// gabion: args=--cflags -O2 --within bump
// bump has no code of its own: it is where it was inlined to. Three points in it, start and end.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int word;

static inline __attribute__((always_inline)) void bump(void) { word++; }

static void *other(void *unused) {
    word++;
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, other, NULL);
    word++;
    bump();
    word++;
    bump();
    bump();
    word++;
    pthread_join(thread, NULL);
    return 0;
}
