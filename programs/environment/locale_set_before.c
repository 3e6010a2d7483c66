// Threads that depend on a locale that nobody changes any more do not depend on each other.
// gabion: verdict=verified runs=1 races=none
// gabion: args=--mode single
#include <assert.h>
#include <ctype.h>
#include <locale.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <wctype.h>

static void *work(void *arg) {
    char text[32];
    assert(isalpha('x') && iswalpha(0xe4) && MB_CUR_MAX > 1 && toupper('x') == 'X');
    snprintf(text, sizeof text, "%.1f", 1.5);
    assert(strtod(text, 0) == 1.5);
    return arg;
}

int main(void) {
    pthread_t other;
    assert(setlocale(LC_ALL, "C.UTF-8"));
    pthread_create(&other, 0, work, 0);
    work(0);
    pthread_join(other, 0);
    return 0;
}
