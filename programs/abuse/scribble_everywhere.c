// Writes over every writable mapping of the process, the checker's shared memory included, except its own stack.
// gabion: verdict=bug|error|partial
// gabion: args=--preempt sync --watchdog 2s
// gabion: native=no
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

static char maps[1 << 18];

int main(void) {
    int fd = open("/proc/self/maps", O_RDONLY);
    long size = 0, n;
    char here;
    while ((n = read(fd, maps + size, sizeof maps - 1 - size)) > 0)
        size += n;
    for (char *line = maps; *line; line++) {
        unsigned long low = strtoul(line, &line, 16), high = strtoul(line + 1, &line, 16);
        int writable = line[2] == 'w';
        char *own = maps;
        if (writable && !((unsigned long)&here >= low && (unsigned long)&here < high) &&
            !((unsigned long)own >= low && (unsigned long)own < high))
            for (volatile char *p = (char *)low; p < (char *)high; p += 8)
                *p = 0x5a;
        while (*line && *line != '\n')
            line++;
    }
    return 0;
}
