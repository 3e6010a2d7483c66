// How long a character may be depends on the locale, which the other thread sets.
// gabion: verdict=bug kind=assertion
// gabion: compilers=gcc,clang
#include <assert.h>
#include <locale.h>
#include <pthread.h>
#include <stdlib.h>

static void *work(void *arg) {
    setlocale(LC_ALL, "C.UTF-8");
    return arg;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, 0, work, 0);
    size_t longest = MB_CUR_MAX;
    pthread_join(other, 0);
    assert(longest == 1);
    return 0;
}
