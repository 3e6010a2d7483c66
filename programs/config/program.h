#include <pthread.h>
#include <stdatomic.h>

static atomic_int word;
static int hits, notes;

static void bump(void) { word++; }
static void bump_quietly(void) { word++; }
static void note(void) { notes = notes + 1; }

static void *other(void *unused) {
    word++;
    note();
    hits = hits + 1;
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, other, NULL);
    word++;
    bump();
    note();
    bump_quietly();
    hits = hits + 1;
    bump();
    pthread_join(thread, NULL);
    return 0;
}
