// The same, before any constructor, and before calls can be noted.
// gabion: verdict=partial caveat=unmodelled-call
// gabion: compilers=gcc,clang
#include <pthread.h>
#include <unistd.h>

static char where[4096];

static void look(int count, char **words, char **environment) {
    (void)count, (void)words, (void)environment;
    gethostname(where, sizeof where);
}

__attribute__((section(".preinit_array"), used)) static void (*early)(int, char **, char **) = look;

static void *work(void *argument) {
    return argument;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    return where[0] == 0;
}
