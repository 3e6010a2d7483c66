// A library that is loaded at run time was not looked at.
// gabion: verdict=partial
// gabion: compilers=gcc,clang
#include <assert.h>
#include <dlfcn.h>
#include <pthread.h>

static double (*cosine)(double);
static double result;

static void *work(void *argument) {
    (void)argument;
    result = cosine(0);
    return 0;
}

int main(void) {
    void *library = dlopen("libm.so.6", RTLD_NOW);
    assert(library);
    cosine = (double (*)(double))dlsym(library, "cos");
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    assert(result == 1);
    return 0;
}
