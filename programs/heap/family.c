// The malloc family keeps its promises: alignment, zeroes, contents, errors.
// gabion: verdict=verified
// gabion: compilers=gcc,clang
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static int aligned(void *p, uintptr_t to) { return p != NULL && (uintptr_t)p % to == 0; }

int main(void) {
    char *p = malloc(100);
    assert(aligned(p, 16) && malloc_usable_size(p) >= 100);
    memset(p, 7, 100);
    p = realloc(p, 5000);
    assert(aligned(p, 16) && p[0] == 7 && p[99] == 7);
    p = realloc(p, 10);
    assert(p[9] == 7);
    free(p);
    int *z = calloc(100, sizeof *z);
    for (int i = 0; i < 100; i++)
        assert(z[i] == 0);
    free(z);
    void *a = NULL;
    assert(posix_memalign(&a, 256, 10) == 0 && aligned(a, 256));
    free(a);
    assert(posix_memalign(&a, 3, 10) == EINVAL);
    a = aligned_alloc(4096, 8192);
    assert(aligned(a, 4096));
    free(a);
    a = memalign(64, 1);
    assert(aligned(a, 64));
    free(a);
    a = valloc(10);
    assert(aligned(a, 4096));
    free(a);
    volatile size_t huge = SIZE_MAX / 2;
    assert(calloc(huge, 4) == NULL && errno == ENOMEM);
    assert(reallocarray(NULL, huge, 4) == NULL);
    free(NULL);
    char *d = strdup("copy"), *n = strndup("copy", 2);
    assert(strcmp(d, "copy") == 0 && strcmp(n, "co") == 0);
    free(d);
    free(n);
    return 0;
}
