// A mapped file is shorter than the mapping.
// gabion: verdict=bug kind=segfault
#include <stdio.h>
#include <sys/mman.h>

int main(void) {
    FILE *file = tmpfile();
    if (!file)
        return 7;
    volatile char *p = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(file), 0);
    p[5000] = 1;
    return 0;
}
