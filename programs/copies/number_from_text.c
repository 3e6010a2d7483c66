// A number is read from a text, digit by digit, while another thread changes the digits.
// gabion: verdict=complete caveat=whole-copies
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static char text[4] = "12";

static void *change(void *arg) {
    text[0] = '3';
    text[1] = '4';
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, change, NULL);
    int n = atoi(text);
    pthread_join(t, NULL);
    assert(n != 14);
    return 0;
}
