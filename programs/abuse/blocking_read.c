// Reads from a pipe that nobody writes to: a system call that never returns.
// gabion: verdict=any
// gabion: args=--preempt sync
// gabion: native=no
#include <unistd.h>

int main(void) {
    int ends[2];
    char byte;
    if (pipe(ends))
        return 1;
    return (int)read(ends[0], &byte, 1);
}
