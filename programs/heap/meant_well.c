// What programs may do: all sizes, alignments, freeing in exit handlers and in destructors of thread-specific data, buffers
// of streams, strings that end with their block.
// gabion: verdict=partial
// gabion: compilers=gcc,clang
// gabion: args=--preempt sync
#define _GNU_SOURCE
#include <assert.h>
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_key_t key;
static char *at_end;

static void release(void) { free(at_end); }

static void *work(void *arg) {
    for (size_t size = 0; size < 70; size++) {
        char *p = malloc(size), *q = aligned_alloc(64, 64 * size);
        assert(malloc_usable_size(p) == size);
        memset(p, 1, size);
        memset(q, 1, 64 * size);
        p = realloc(p, size + 9);
        p[size + 8] = 2;
        free(q);
        free(p);
    }
    char *s = strdup("ends with its block"), *t = malloc(4);
    assert(strlen(s) == 19 && strcmp(s, "ends with its block") == 0 && strchr(s, 'k') == s + 18);
    memcpy(t, "abcd", 4);
    assert(strnlen(t, 4) == 4 && memchr(t, 'd', 4) == t + 3 && strncmp(t, "abcd", 4) == 0);
    snprintf(t + 4, 0, "%s", "nothing");
    snprintf(t, 4, "%.4s", "abcdefgh");
    free(t);
    pthread_setspecific(key, s);
    return arg;
}

int main(void) {
    pthread_t t;
    char line[64];
    pthread_key_create(&key, free);
    at_end = malloc(3);
    atexit(release);
    FILE *f = fmemopen(line, sizeof line, "w+");
    fprintf(f, "%d\n", 4);
    fclose(f);
    pthread_create(&t, NULL, work, NULL);
    work(NULL);
    pthread_join(t, NULL);
    char *big = malloc(3 << 20);
    big[0] = big[(3 << 20) - 1] = 1;
    memset(big + (1 << 20), 1, 1 << 20);
    free(big);
    return 0;
}
