// gabion: verdict=complete runs=6 compilers=gcc,clang
// gabion: args=--trust add
// Locks in trusted code count: the orders of three critical sections, 3!. What they guard is left out.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int sum;

static void add(int n) {
    pthread_mutex_lock(&lock);
    sum = sum + n;
    pthread_mutex_unlock(&lock);
}

static void *work(void *unused) {
    add(1);
    return unused;
}

int main(void) {
    pthread_t threads[3];
    for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
    assert(sum == 3);
    return 0;
}
