// call_once, tss with a destructor, thrd_exit, thrd_current, thrd_equal, thrd_yield, thrd_sleep, thrd_detach.
// gabion: verdict=complete
// gabion: args=--preempt sync
#include <assert.h>
#include <threads.h>
#include <time.h>

static once_flag flag = ONCE_FLAG_INIT;
static tss_t key;
static int inits, destroyed;

static void destroy(void *value) { destroyed += *(int *)value; }
static void init(void) {
    inits++;
    tss_create(&key, destroy);
}

static int work(void *arg) {
    call_once(&flag, init);
    assert(tss_get(key) == NULL);
    tss_set(key, arg);
    assert(tss_get(key) == arg);
    thrd_exit(3);
}

static int sleeper(void *arg) {
    (void)arg;
    return 0;
}

int main(void) {
    thrd_t t;
    int seven = 7, result = 0;
    struct timespec nap = {1, 0};
    call_once(&flag, init);
    thrd_create(&t, work, &seven);
    assert(!thrd_equal(t, thrd_current()));
    thrd_join(t, &result);
    assert(result == 3 && inits == 1 && destroyed == 7);
    thrd_yield();
    assert(thrd_sleep(&nap, NULL) == 0);
    thrd_create(&t, sleeper, NULL);
    assert(thrd_detach(t) == thrd_success);
    return 0;
}
