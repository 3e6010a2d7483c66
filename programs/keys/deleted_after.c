// Its twin: the key is deleted when nobody uses it any more.
// gabion: verdict=verified
#include <assert.h>
#include <pthread.h>

static void *work(void *arg) {
    assert(pthread_setspecific((pthread_key_t)(long)arg, "value") == 0);
    return 0;
}

int main(void) {
    pthread_t other;
    pthread_key_t key;
    pthread_key_create(&key, 0);
    pthread_create(&other, 0, work, (void *)(long)key);
    pthread_join(other, 0);
    assert(pthread_key_delete(key) == 0);
    return 0;
}
