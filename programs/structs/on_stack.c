// A member of a struct on main's stack is updated by two threads without a lock.
// gabion: verdict=bug kind=assertion
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>

struct job {
    int number, count;
};

static void *work(void *arg) {
    struct job *job = arg;
    job->count++;
    return 0;
}

int main(void) {
    struct job job = {1, 0};
    pthread_t t;
    pthread_create(&t, NULL, work, &job);
    job.count++;
    pthread_join(t, NULL);
    assert(job.count == 2);
    return 0;
}
