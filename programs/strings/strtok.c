// strtok keeps its place in hidden state that all threads share.
// gabion: verdict=bug
#include <assert.h>
#include <pthread.h>
#include <string.h>

static char left[] = "a b", right[] = "c d";

static void *work(void *arg) {
    strtok(right, " ");
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    strtok(left, " ");
    char *second = strtok(NULL, " ");
    assert(second && second[0] == 'b');
    pthread_join(t, NULL);
    return 0;
}
