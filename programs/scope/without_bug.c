// gabion: verdict=complete compilers=gcc,clang
// gabion: args=--without withdraw --without work
// With points everywhere but there it is not found; the verdict says what was sealed.
#include <assert.h>
#include <pthread.h>

static int balance = 10, deposits;

static int withdraw(int amount) {
    if (balance < amount) return 0;
    balance = balance - amount;
    return amount;
}

static void *work(void *unused) {
    for (int i = 0; i < 20; i++) deposits = deposits + 1;
    withdraw(10);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    for (int i = 0; i < 20; i++) deposits = deposits + 1;
    withdraw(10);
    pthread_join(thread, NULL);
    assert(balance >= 0);
    return 0;
}
