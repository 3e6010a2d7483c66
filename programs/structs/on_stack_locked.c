// A struct and an array on main's stack, shared under a lock that is part of it: all of it is announced.
// gabion: verdict=verified
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>

struct job {
    pthread_mutex_t lock;
    int count, done[2];
};

static void *work(void *arg) {
    struct job *job = arg;
    pthread_mutex_lock(&job->lock);
    job->count++;
    pthread_mutex_unlock(&job->lock);
    job->done[1] = 1;
    return 0;
}

int main(void) {
    struct job job = {PTHREAD_MUTEX_INITIALIZER};
    pthread_t t[1];
    for (int i = 0; i < 1; i++)
        pthread_create(&t[i], NULL, work, &job);
    pthread_mutex_lock(&job.lock);
    job.count++;
    pthread_mutex_unlock(&job.lock);
    job.done[0] = 1;
    pthread_join(t[0], NULL);
    assert(job.count == 2 && job.done[0] && job.done[1]);
    return 0;
}
