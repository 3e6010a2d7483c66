// Two spin locks in opposite order: on a real machine both threads spin for ever.
// gabion: verdict=bug kind=deadlock locked=FIRST locked=SECOND
// gabion: args=--preempt sync
#include <pthread.h>

static pthread_spinlock_t a, b;

static void *ab(void *arg) {
    pthread_spin_lock(&a); // FIRST
    pthread_spin_lock(&b);
    pthread_spin_unlock(&b);
    pthread_spin_unlock(&a);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_spin_init(&a, 0);
    pthread_spin_init(&b, 0);
    pthread_create(&t, NULL, ab, NULL);
    pthread_spin_lock(&b); // SECOND
    pthread_spin_lock(&a);
    pthread_spin_unlock(&a);
    pthread_spin_unlock(&b);
    pthread_join(t, NULL);
    return 0;
}
