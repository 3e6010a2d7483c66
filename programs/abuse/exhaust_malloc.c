// malloc until it fails, then the null pointer is used.
// gabion: verdict=bug kind=segfault location=HERE
// gabion: args=--preempt sync
// gabion: native=no
#include <stdlib.h>

int main(void) {
    for (;;) {
        char *p = malloc(16 << 20);
        *(volatile char *)p = 1; // HERE
    }
}
