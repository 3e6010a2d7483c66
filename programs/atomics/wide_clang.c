// The twin of wide.c for clang 14, which with -mcx16 also emits a bare cmpxchg16b beside the hooked load: an access that
// no hook announces, so the verdict must not be verified.
// gabion: verdict=partial
// gabion: args=--cflags -mcx16
// gabion: compilers=clang
// gabion: native-flags=-mcx16 -latomic
#include <assert.h>
#include <pthread.h>

typedef unsigned __int128 wide;

static wide cell;

static wide both(unsigned long half) { return (wide)half << 64 | half; }

static void *work(void *arg) {
    wide old = both(0);
    __atomic_compare_exchange_n(&cell, &old, both(5), 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    __atomic_store_n(&cell, both(6), __ATOMIC_SEQ_CST);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    wide seen = __atomic_load_n(&cell, __ATOMIC_SEQ_CST);
    assert((unsigned long)seen == (unsigned long)(seen >> 64));
    seen = __atomic_exchange_n(&cell, both(7), __ATOMIC_SEQ_CST);
    assert((unsigned long)seen == (unsigned long)(seen >> 64));
    pthread_join(t, NULL);
    return 0;
}
