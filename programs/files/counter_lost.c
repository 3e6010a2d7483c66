// As counter.c, but the lock is released between reading and writing: a count is lost.
// gabion: verdict=bug kind=assertion
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char name[] = "/tmp/gabion-lost-XXXXXX";

static int get(void) {
    int n = -1;
    FILE *file = fopen(name, "r");
    assert(file && fscanf(file, "%d", &n) == 1);
    fclose(file);
    return n;
}

static void put(int n) {
    FILE *file = fopen(name, "w");
    assert(file);
    fprintf(file, "%d\n", n);
    fclose(file);
}

static void *work(void *arg) {
    pthread_mutex_lock(&lock);
    int n = get();
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    put(n + 1);
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void) {
    assert(close(mkstemp(name)) == 0);
    put(0);
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    work(0);
    pthread_join(thread, 0);
    int n = get();
    unlink(name);
    assert(n == 2);
    return 0;
}
