// A block is freed while another thread may hold the mutex in it.
// gabion: verdict=bug kind=lock-misuse|use-after-free
// gabion: compilers=gcc,clang
#include <pthread.h>
#include <stdlib.h>

struct box {
    pthread_mutex_t m;
    int x;
};

static void *work(void *arg) {
    struct box *box = arg;
    pthread_mutex_lock(&box->m);
    pthread_mutex_unlock(&box->m);
    return NULL;
}

int main(void) {
    struct box *box = calloc(1, sizeof *box);
    pthread_t t;
    pthread_mutex_init(&box->m, NULL);
    pthread_create(&t, NULL, work, box);
    free(box);
    pthread_join(t, NULL);
    return 0;
}
