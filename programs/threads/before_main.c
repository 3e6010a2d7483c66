// What a constructor does with its thread, which becomes main's: its handle, name, values of keys and attributes.
// gabion: verdict=verified
// gabion: compilers=gcc,clang
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>

static pthread_t first;
static pthread_mutex_t mutex;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static int calls;

static void call(void) { calls++; }

__attribute__((constructor)) static void early(void) {
    char name[16];
    pthread_attr_t attributes;
    struct sched_param parameters;
    int policy;
    cpu_set_t processors;
    first = pthread_self();
    assert(pthread_setname_np(first, "early") == 0 && pthread_getname_np(first, name, sizeof name) == 0);
    assert(strcmp(name, "early") == 0);
    void *lowest;
    size_t size;
    assert(pthread_getattr_np(first, &attributes) == 0);
    assert(pthread_attr_getstack(&attributes, &lowest, &size) == 0);
    assert((char *)lowest <= name && name < (char *)lowest + size);
    pthread_attr_destroy(&attributes);
    assert(pthread_getschedparam(first, &policy, &parameters) == 0);
    assert(pthread_getaffinity_np(first, sizeof processors, &processors) == 0);
    assert(pthread_kill(first, 0) == 0);
    pthread_mutex_init(&mutex, 0);
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    pthread_once(&once, call);
    pthread_cond_signal(&condition);
    pthread_key_create(&key, 0);
    pthread_setspecific(key, &mutex);
}

static void *work(void *unused) {
    char name[16];
    pthread_getname_np(first, name, sizeof name);
    assert(strcmp(name, "early") == 0);
    pthread_once(&once, call);
    assert(pthread_getspecific(key) == 0);
    return unused;
}

int main(void) {
    pthread_t thread;
    assert(pthread_equal(first, pthread_self()));
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    assert(pthread_getspecific(key) == &mutex && calls == 1);
    return 0;
}
