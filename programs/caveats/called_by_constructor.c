// The same, before main.
// gabion: verdict=partial caveat=unmodelled-call
// gabion: compilers=gcc,clang
#include <pthread.h>
#include <stdio.h>

static char memory[64];
static FILE *stream;

__attribute__((constructor)) static void open_it(void) { stream = fmemopen(memory, sizeof memory, "w"); }

static void *work(void *argument) {
    fputc('x', stream);
    return argument;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    work(0);
    pthread_join(thread, 0);
}
