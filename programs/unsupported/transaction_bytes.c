// The same spelled as bytes, as code for old assemblers has it.
// gabion: verdict=error message="hardware transactions (xtest at"
// gabion: native=no
#include <pthread.h>

static void *work(void *arg) {
    unsigned char inside;
    __asm__ volatile(".byte 0x0f, 0x01, 0xd6\n\tsetnz %0" : "=r"(inside) : : "cc");
    return inside ? arg : 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    return 0;
}
