// The twin of stack_of_exited: the lender waits.
// gabion: verdict=verified
// gabion: compilers=gcc,clang
#include <pthread.h>

static void *borrow(void *arg) {
    *(int *)arg += 1;
    return NULL;
}

static void *lend(void *arg) {
    pthread_t borrower;
    int local = 0;
    pthread_create(&borrower, NULL, borrow, &local);
    pthread_join(borrower, NULL);
    return arg;
}

int main(void) {
    pthread_t lender;
    pthread_create(&lender, NULL, lend, NULL);
    pthread_join(lender, NULL);
    return 0;
}
