// mmap until it fails.
// gabion: verdict=complete|verified
// gabion: args=--preempt sync
#define _GNU_SOURCE
#include <stddef.h>
#include <sys/mman.h>

int main(void) {
    for (int i = 0; i < 1 << 20; i++)
        if (mmap(NULL, 1UL << 32, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) == MAP_FAILED)
            return 0;
    return 0;
}
