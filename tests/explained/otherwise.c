// A flag is read twice, and then asked for: who comes between makes one assertion fail, who comes later the other. Without the
// switch that parts the two reads it does not pass.
// gabion: --keep-going
// says: reads flag at otherwise.c:15 and finds 0
// shows: is essential: without it, it fails in another way.
// hides: without it, it does not fail.
#include <assert.h>
#include <pthread.h>

static int flag;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int get(void) {
    pthread_mutex_lock(&lock);
    int value = flag;
    pthread_mutex_unlock(&lock);
    return value;
}

static void *set(void *unused) {
    pthread_mutex_lock(&lock);
    flag = 1;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, NULL, set, NULL);
    int first = get();
    int second = get();
    assert(first == second);
    assert(first == 1);
    pthread_join(other, NULL);
}
