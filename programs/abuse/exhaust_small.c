// Small blocks until malloc fails; the program notices and ends properly.
// gabion: verdict=complete
// gabion: args=--preempt sync
// gabion: native=no
#include <errno.h>
#include <stdlib.h>

int main(void) {
    for (;;) {
        void *p = malloc(64 << 10);
        if (!p)
            return errno == ENOMEM ? 0 : 1;
    }
}
