// Stands in for the runtime: notes the bytes that hooks and functions of the C library announce, and says which bytes of what a
// function was asked to touch were not among them. Compiled without instrumentation, linked into the program.
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { MOST = 64 };
static unsigned char *from, *to;
static size_t size;
static _Bool read[MOST], written[MOST], open;

static void note(const void *at, size_t n, int writes)
{
    if (!open)
        return;
    for (size_t i = 0; i < n; i++) {
        const unsigned char *byte = (const unsigned char *)at + i;
        if (from && byte >= from && byte < from + size && !writes)
            read[byte - from] = 1;
        if (to && byte >= to && byte < to + size && writes)
            written[byte - to] = 1;
    }
}

// The function called next reads that many bytes here, and writes as many there, if these are anywhere.
void gabion_expect(void *source, void *target, size_t bytes)
{
    from = source, to = target, size = bytes, open = 1;
    for (size_t i = 0; i < MOST; i++)
        read[i] = written[i] = 0;
}

// It is done. What was not announced is told with its line.
void gabion_compare(int line)
{
    open = 0;
    size_t reads = 0, writes = 0;
    for (size_t i = 0; i < size; i++) {
        reads += from && !read[i];
        writes += to && !written[i];
    }
    printf("%d %zu %zu\n", line, reads, writes);
}

#define HOOK(name, bytes, writes) \
    void name(void *at) { note(at, bytes, writes); }
#define SIZES(prefix, direction, writes)             \
    HOOK(prefix##direction##1, 1, writes)            \
    HOOK(prefix##direction##2, 2, writes)            \
    HOOK(prefix##direction##4, 4, writes)            \
    HOOK(prefix##direction##8, 8, writes)            \
    HOOK(prefix##direction##16, 16, writes)
#define BOTH(prefix) SIZES(prefix, read, 0) SIZES(prefix, write, 1)
#define ALL(prefix) BOTH(prefix) BOTH(prefix##unaligned_) BOTH(prefix##volatile_)
ALL(__tsan_)
BOTH(__tsan_unaligned_volatile_)
ALL(__gabion_joined_)

#define RANGE(name, writes) \
    void name(void *at, size_t n) { note(at, n, writes); }
RANGE(__tsan_read_range, 0)
RANGE(__tsan_write_range, 1)
RANGE(__gabion_joined_read_range, 0)
RANGE(__gabion_joined_write_range, 1)

// As in the runtime: these sizes have been announced by the sanitizer's own hooks.
#define REST(name, writes)                                                      \
    void name(void *at, size_t n)                                               \
    {                                                                           \
        if (n != 1 && n != 2 && n != 4 && n != 8 && n != 16)                    \
            note(at, n, writes);                                                \
    }
REST(__gabion_any_loadN, 0)
REST(__gabion_any_storeN, 1)

static void *move(void *a, const void *b, size_t n)
{
    note(b, n, 0);
    note(a, n, 1);
    volatile unsigned char *to = a;
    const volatile unsigned char *from = b;
    if ((uintptr_t)a <= (uintptr_t)b)
        for (size_t i = 0; i < n; i++)
            to[i] = from[i];
    else
        while (n-- > 0)
            to[n] = from[n];
    return a;
}

static void *fill(void *a, int with, size_t n)
{
    note(a, n, 1);
    for (volatile unsigned char *to = a; n > 0; n--)
        *to++ = with;
    return a;
}

static int order(const void *a, const void *b, size_t n)
{
    note(a, n, 0);
    note(b, n, 0);
    const volatile unsigned char *x = a, *y = b;
    for (size_t i = 0; i < n; i++)
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    return 0;
}

void *memcpy(void *a, const void *b, size_t n) { return move(a, b, n); }
void *memmove(void *a, const void *b, size_t n) { return move(a, b, n); }
void *memset(void *a, int with, size_t n) { return fill(a, with, n); }
int memcmp(const void *a, const void *b, size_t n) { return order(a, b, n); }
int bcmp(const void *a, const void *b, size_t n) { return order(a, b, n); }
int __memcmpeq(const void *a, const void *b, size_t n) { return order(a, b, n); }
void *__tsan_memcpy(void *a, const void *b, size_t n) { return move(a, b, n); }
void *__tsan_memmove(void *a, const void *b, size_t n) { return move(a, b, n); }
void *__tsan_memset(void *a, int with, size_t n) { return fill(a, with, n); }
