// gabion: verdict=complete compilers=gcc,clang
// gabion: args=--trust await --trust set
// The same without giving way: trusted code that spins does not keep the others from running.
#include <pthread.h>
#include <stdatomic.h>

static volatile int flag;
static atomic_int done;

static void await(void) { while (!flag) ; }
static void set(void) { flag = 1; }

static void *work(void *unused) {
    await();
    done++;
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    done++;
    set();
    pthread_join(thread, NULL);
    return 0;
}
