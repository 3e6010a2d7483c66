// longjmp jumps over the unlock.
// gabion: verdict=bug kind=deadlock
// gabion: args=--preempt sync
#include <pthread.h>
#include <setjmp.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static jmp_buf back;

static void fails(void) {
    pthread_mutex_lock(&mutex);
    longjmp(back, 1);
    pthread_mutex_unlock(&mutex);
}

static void *work(void *arg) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    if (setjmp(back) == 0)
        fails();
    pthread_join(t, NULL);
    return 0;
}
