// What getpwuid gives lies in static memory, which the other thread's call overwrites.
// gabion: verdict=bug kind=assertion
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>
#include <pwd.h>

static void *work(void *arg) {
    getpwuid(1);
    return arg;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, 0, work, 0);
    struct passwd *entry = getpwuid(0);
    unsigned id = entry->pw_uid;
    pthread_join(other, 0);
    assert(id == 0);
    return 0;
}
