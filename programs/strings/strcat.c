// Two threads append to one string: each appends to what it finds, in one step or not at all.
// gabion: verdict=bug kind=assertion
#include <assert.h>
#include <pthread.h>
#include <string.h>

static char line[32];

static void *work(void *arg) {
    strcat(line, "b");
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    strcat(line, "a");
    pthread_join(t, NULL);
    assert(strcmp(line, "ab") == 0);
    return 0;
}
