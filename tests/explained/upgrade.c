// A reader wants to write without letting go of what it reads: it waits for itself, and those behind it for it. That is no circle
// of threads, and it is told where that reader waits.
// heads: 3 threads wait for ever, one for a lock that it holds itself
// says: waits for what it holds itself
// says: at upgrade.c:19, which it read-locked itself at upgrade.c:22
#include <pthread.h>
#include <stddef.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int cached;

static void *write_it(void *unused) {
    pthread_rwlock_wrlock(&lock);
    cached = 1;
    pthread_rwlock_unlock(&lock);
    return unused;
}

static void upgrade(void) { pthread_rwlock_wrlock(&lock); cached = 1; pthread_rwlock_unlock(&lock); }

static void *read_it(void *unused) {
    pthread_rwlock_rdlock(&lock);
    if (!cached)
        upgrade();
    pthread_rwlock_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t writer, reader;
    pthread_create(&writer, NULL, write_it, NULL);
    pthread_create(&reader, NULL, read_it, NULL);
    pthread_join(writer, NULL);
    pthread_join(reader, NULL);
}
