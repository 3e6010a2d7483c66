// A disposition is set from memory that another thread changes.
// gabion: verdict=bug kind=assertion
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>
#include <signal.h>

static volatile int by;
static void first(int number) { by = number ? 1 : 0; }
static void second(int number) { by = number ? 2 : 0; }
static struct sigaction action = {.sa_handler = first};

static void *raises(void *unused) {
    sigaction(SIGUSR1, &action, NULL);
    raise(SIGUSR1);
    assert(by == 1);
    return unused;
}

static void *changes(void *unused) {
    action.sa_handler = second;
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, raises, NULL);
    pthread_create(&b, NULL, changes, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
