// gabion: verdict=verified runs=24 compilers=gcc,clang
// Two threads choose among three and four values, and each value of the one meets each of the other, in both orders of what
// they then do: 3 * 4 * 2.
#include <gabion.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int sum;

static void *work(void *unused) {
    sum += gabion_choose(3);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    sum += gabion_choose(4);
    pthread_join(thread, NULL);
    return 0;
}
