// The handle is passed on: a thread joins its sibling, not its child.
// gabion: verdict=verified
#include <assert.h>
#include <pthread.h>

static pthread_t first;
static int result;

static void *produce(void *arg) {
    result = 9;
    return arg;
}

static void *collect(void *arg) {
    pthread_join(first, NULL);
    assert(result == 9);
    return arg;
}

int main(void) {
    pthread_t second;
    pthread_create(&first, NULL, produce, NULL);
    pthread_create(&second, NULL, collect, NULL);
    pthread_join(second, NULL);
    return 0;
}
