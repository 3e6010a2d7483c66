// Two destructors update a plain counter: the lost update at thread end.
// gabion: verdict=bug kind=assertion
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_key_t key;
static int destroyed;

static void destroy(void *value) {
    (void)value;
    destroyed++;
}

static void *work(void *arg) {
    pthread_setspecific(key, &key);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_key_create(&key, destroy);
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(destroyed == 2);
    return 0;
}
