// As many keys as the C library has, made before and after there are threads; a key that is made anew has no values.
// gabion: verdict=verified
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>

static pthread_key_t keys[1000], late;
static int destroyed;

static void count(void *value) {
    (void)value;
    destroyed++;
}

static void *work(void *arg) {
    for (int i = 0; i < 1000; i++) {
        assert(pthread_getspecific(keys[i]) == 0);
        assert(pthread_setspecific(keys[i], &keys[i]) == 0);
    }
    assert(pthread_key_create(&late, count) == 0);
    assert(pthread_setspecific(late, arg) == 0);
    assert(pthread_key_delete(late) == 0);
    assert(pthread_key_create(&late, count) == 0);
    assert(pthread_getspecific(late) == 0);
    for (int i = 0; i < 1000; i++)
        assert(pthread_getspecific(keys[i]) == &keys[i]);
    return 0;
}

int main(void) {
    pthread_t other;
    for (int i = 0; i < 1000; i++)
        assert(pthread_key_create(&keys[i], 0) == 0);
    assert(pthread_setspecific(keys[999], "mine") == 0);
    pthread_create(&other, 0, work, keys);
    pthread_join(other, 0);
    assert(destroyed == 0);
    assert(pthread_getspecific(keys[999]) != 0);
    pthread_key_t more;
    int made = 0, result;
    while ((result = pthread_key_create(&more, 0)) == 0)
        made++;
    assert(result == EAGAIN && made < 24);
    return 0;
}
