// The length is taken, then the string is copied; another thread makes it longer.
// gabion: verdict=bug kind=assertion
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>
#include <string.h>

static char name[32] = "ann";

static void *work(void *arg) {
    strcpy(name, "annabelle");
    return arg;
}

int main(void) {
    pthread_t t;
    char copy[32];
    pthread_create(&t, NULL, work, NULL);
    size_t length = strlen(name);
    strcpy(copy, name);
    assert(strlen(copy) == length);
    pthread_join(t, NULL);
    return 0;
}
