// The flag is set before what it stands for, each under the lock.
// gabion: verdict=bug kind=assertion location=HERE
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>

static pthread_spinlock_t lock;
static int ready, value;

static void put(int *to, int what) {
    pthread_spin_lock(&lock);
    *to = what;
    pthread_spin_unlock(&lock);
}

static int get(int *from) {
    pthread_spin_lock(&lock);
    int seen = *from;
    pthread_spin_unlock(&lock);
    return seen;
}

static void *set(void *unused) {
    put(&ready, 1);
    put(&value, 5);
    return unused;
}

int main(void) {
    pthread_t a;
    pthread_spin_init(&lock, 0);
    pthread_create(&a, NULL, set, NULL);
    while (!get(&ready))
        ;
    assert(get(&value) == 5); // HERE
    pthread_join(a, NULL);
    return 0;
}
