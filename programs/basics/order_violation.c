// The new thread uses a pointer that its creator sets only afterwards.
// gabion: verdict=bug kind=segfault location=HERE
// gabion: compilers=gcc,clang
#include <pthread.h>

static int cell;
static int *pointer;

static void *user(void *arg) {
    *pointer = 1; // HERE
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, user, NULL);
    pointer = &cell;
    pthread_join(t, NULL);
    return cell - 1;
}
