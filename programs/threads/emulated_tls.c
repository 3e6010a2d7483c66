// Thread-local variables without the loader's help: the library makes a key for them once, which no thread finds half made.
// gabion: verdict=verified
// gabion: args=--cflags -femulated-tls
// gabion: compilers=clang
#include <assert.h>
#include <pthread.h>

static __thread int mine = 5;
static pthread_key_t own;

static void *work(void *number) {
    mine += (int)(long)number;
    assert(mine == 5 + (int)(long)number);
    assert(pthread_getspecific(own) == 0);
    return 0;
}

int main(void) {
    pthread_t one, two;
    pthread_key_create(&own, 0);
    pthread_create(&one, 0, work, (void *)1);
    pthread_create(&two, 0, work, (void *)2);
    pthread_join(one, 0);
    pthread_join(two, 0);
    return 0;
}
