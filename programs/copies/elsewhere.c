// There is a data race, but not where the calls that touch several bytes are: nothing is hidden.
// gabion: verdict=verified
#include <pthread.h>
#include <stdio.h>

static int x;
static char text[2][32];

static void *work(void *arg) {
    x = 1;
    snprintf(text[1], sizeof text[1], "%d", 3);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    int v = x;
    snprintf(text[0], sizeof text[0], "%d", v);
    pthread_join(t, NULL);
    return 0;
}
