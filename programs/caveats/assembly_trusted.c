// As assembly.c, with the function that holds the assembly named as trusted: that is what was asked for.
// gabion: verdict=complete caveat=inline-assembly
// gabion: compilers=gcc,clang
// gabion: args=--trust fill
#include <pthread.h>

static char shared[8];

static void fill(char with) {
    char *at = shared;
    unsigned long left = sizeof shared;
    __asm__ __volatile__("rep stosb" : "+D"(at), "+c"(left) : "a"(with) : "memory");
}

static void *work(void *arg) {
    fill('a');
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    fill('b');
    pthread_join(t, NULL);
    return 0;
}
