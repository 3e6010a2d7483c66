// A thread lends its variable to another and ends without waiting for it: the borrower may come too late.
// gabion: verdict=bug kind=use-after-free location=HERE created=CREATE message=stack
// gabion: compilers=gcc,clang
#include <pthread.h>

static pthread_t borrower;

static void *borrow(void *arg) {
    *(int *)arg += 1; // HERE
    return NULL;
}

static void *lend(void *arg) {
    int local = 0;
    pthread_create(&borrower, NULL, borrow, &local);
    return arg;
}

int main(void) {
    pthread_t lender;
    pthread_create(&lender, NULL, lend, NULL); // CREATE
    pthread_join(lender, NULL);
    pthread_join(borrower, NULL);
    return 0;
}
