// An atomic object is loaded into one that another thread reads: the load writes there in its own step, and in one order comes too late.
// gabion: verdict=bug kind=assertion
// gabion: args=--preempt everywhere --cflags -latomic
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>

struct three {
    unsigned char a, b, c;
};
static struct three object = {1, 2, 3}, copy;
static int first, second, seen;

static void *loads(void *unused) {
    __atomic_load_n(&first, __ATOMIC_SEQ_CST);
    __atomic_load(&object, &copy, __ATOMIC_SEQ_CST);
    return unused;
}

static void *reads(void *unused) {
    __atomic_load_n(&second, __ATOMIC_SEQ_CST);
    seen = copy.a;
    return unused;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, loads, 0);
    pthread_create(&two, 0, reads, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    assert(seen != 0);
    return 0;
}
