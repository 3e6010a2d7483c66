// How many have come to a barrier, and how many it needs.
// says: waits for others at b (1 of 2 has arrived) at barrier.c:

#include <pthread.h>
static pthread_barrier_t b;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int left = 2;
static void *w(void *u) {
    pthread_mutex_lock(&m);
    int mine = left > 0 ? left-- : 0;
    if (mine == 1) { pthread_mutex_unlock(&m); return u; }
    pthread_mutex_unlock(&m);
    pthread_barrier_wait(&b);
    return u;
}
int main(void) {
    pthread_barrier_init(&b, 0, 2);
    pthread_t s, t;
    pthread_create(&s, 0, w, 0);
    pthread_create(&t, 0, w, 0);
    pthread_join(s, 0);
    pthread_join(t, 0);
}
