// The locale belongs to all threads, and so does its name: the other thread frees it.
// gabion: verdict=bug kind=assertion|use-after-free
#include <assert.h>
#include <locale.h>
#include <pthread.h>
#include <string.h>

static void *work(void *arg) {
    assert(setlocale(LC_COLLATE, "POSIX"));
    return arg;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, 0, work, 0);
    const char *name = setlocale(LC_COLLATE, 0);

    assert(name);
    assert(setlocale(LC_COLLATE, "C.UTF-8") || setlocale(LC_COLLATE, "C"));
    assert(strcmp(setlocale(LC_COLLATE, 0), "C.UTF-8") == 0);
    pthread_join(other, 0);
    return 0;
}
