// What lies beside objects that threads wait for may be written.
// gabion: verdict=verified compilers=gcc,clang
#include <pthread.h>
#include <semaphore.h>

static struct {
    long before;
    sem_t s;
    long between;
    pthread_mutex_t m;
    long behind;
} all;

static void *await(void *arg) {
    sem_wait(&all.s);
    pthread_mutex_lock(&all.m);
    pthread_mutex_unlock(&all.m);
    return arg;
}

int main(void) {
    pthread_t t;
    sem_init(&all.s, 0, 0);
    pthread_mutex_init(&all.m, NULL);
    pthread_mutex_lock(&all.m);
    pthread_create(&t, NULL, await, NULL);
    all.before = all.between = all.behind = 1;
    sem_post(&all.s);
    all.before = all.between = all.behind = 2;
    pthread_mutex_unlock(&all.m);
    pthread_join(t, NULL);
    return 0;
}
