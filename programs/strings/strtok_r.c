// The twin of strtok: strtok_r keeps its place with the caller.
// gabion: verdict=verified
#include <assert.h>
#include <pthread.h>
#include <string.h>

static char left[] = "a b", right[] = "c d";

static void *work(void *arg) {
    char *place;
    strtok_r(right, " ", &place);
    return arg;
}

int main(void) {
    pthread_t t;
    char *place;
    pthread_create(&t, NULL, work, NULL);
    strtok_r(left, " ", &place);
    char *second = strtok_r(NULL, " ", &place);
    assert(second && second[0] == 'b');
    pthread_join(t, NULL);
    return 0;
}
