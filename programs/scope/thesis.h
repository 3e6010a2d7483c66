// The example of the thesis, §3.4.1: a point in mutex_lock, three times in malloc in thr_create in main (stack 1), twice in
// cond_wait in thr_join in main (stack 2), and one in main itself. `allocate` stands for malloc. The other thread does one thing, so
// there is one run for each point at which it may come in, one for its start and one for the end, where main waits for it:
// these two are voluntary, and never sealed.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int word;

static void mutex_lock(void) { word++; }
static void allocate(void) { mutex_lock(); }
static void thr_create(void) { for (int i = 0; i < 3; i++) allocate(); }
static void cond_wait(void) { mutex_lock(); }
static void thr_join(void) { for (int i = 0; i < 2; i++) cond_wait(); }

static void *other(void *unused) {
    word++;
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, other, NULL);
    word++;
    word++;
    thr_create();
    thr_join();
    pthread_join(thread, NULL);
    return 0;
}
