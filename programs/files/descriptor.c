// The same through a descriptor that main opens before it has threads: where it stands is shared with the runs before.
// gabion: verdict=complete
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int file;

static void *work(void *arg) {
    char n;
    pthread_mutex_lock(&lock);
    assert(lseek(file, -1, SEEK_END) >= 0 && read(file, &n, 1) == 1);
    n++;
    assert(write(file, &n, 1) == 1);
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void) {
    char name[] = "/tmp/gabion-descriptor-XXXXXX", n = 0;
    file = mkstemp(name);
    assert(file >= 0 && unlink(name) == 0 && write(file, &n, 1) == 1);
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    work(0);
    pthread_join(thread, 0);
    assert(lseek(file, 0, SEEK_CUR) == 3 && pread(file, &n, 1, 2) == 1 && n == 2);
    return 0;
}
