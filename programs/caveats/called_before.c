// What nobody models is called before there are threads, and what it leaves behind is used by all of them: a stream that writes to
// the program's own memory.
// gabion: verdict=partial caveat=unmodelled-call
// gabion: compilers=gcc,clang
#include <pthread.h>
#include <stdio.h>

static char memory[64];
static FILE *stream;

static void *work(void *argument) {
    fputc('x', stream);
    return argument;
}

int main(void) {
    stream = fmemopen(memory, sizeof memory, "w");
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    work(0);
    pthread_join(thread, 0);
}
