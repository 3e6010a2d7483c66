// Writes over every shared mapping it can find (the channel to the checker), in one of several interleavings.
// gabion: verdict=any
// gabion: args=--preempt sync --keep-going
// gabion: native=no
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

static char maps[1 << 18];
static atomic_int x;

static void scribble(void) {
    int fd = open("/proc/self/maps", O_RDONLY);
    long size = 0, n;
    while ((n = read(fd, maps + size, sizeof maps - 1 - size)) > 0)
        size += n;
    close(fd);
    for (char *line = maps; *line; line++) {
        unsigned long low = strtoul(line, &line, 16), high = strtoul(line + 1, &line, 16);
        if (line[2] == 'w' && line[4] == 's')
            for (volatile char *p = (char *)low; p < (char *)high; p++)
                *p = (char)((long)p * 31);
        while (*line && *line != '\n')
            line++;
    }
}

static void *work(void *arg) {
    atomic_store(&x, 1);
    atomic_store(&x, 2);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    if (atomic_load(&x) == 1)
        scribble();
    pthread_join(t, NULL);
    return 0;
}
