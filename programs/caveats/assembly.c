// Memory is filled by one instruction of inline assembly that makes many accesses, and announces none: nobody sees what is between.
// gabion: verdict=partial caveat=inline-assembly
// gabion: compilers=gcc,clang
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
