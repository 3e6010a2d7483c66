// A key is deleted while another thread, which has it by value, may still use it.
// gabion: verdict=bug kind=assertion
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
    pthread_key_delete(key);
    pthread_join(other, 0);
    return 0;
}
