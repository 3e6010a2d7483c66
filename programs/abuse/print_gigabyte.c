// Prints a gigabyte in every run.
// gabion: verdict=complete|verified
// gabion: args=--preempt sync
// gabion: native=no
#include <stdio.h>
#include <string.h>

static char block[1 << 16];

int main(void) {
    memset(block, 'x', sizeof block);
    for (int i = 0; i < 1 << 14; i++)
        fwrite(block, 1, sizeof block, stdout);
    return 0;
}
