// And what wide character a byte stands for, or how wide one is printed.
// gabion: verdict=bug kind=assertion
#define _GNU_SOURCE
#include <assert.h>
#include <locale.h>
#include <pthread.h>
#include <wchar.h>

static void *work(void *arg) {
    setlocale(LC_CTYPE, "C.UTF-8");
    return arg;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, 0, work, 0);
    int width = wcwidth(0x4e00);
    pthread_join(other, 0);
    assert(width != 2);
    return 0;
}
