// The same, but one thread does not use it: it takes both in its own order and keeps the first while it waits.
// gabion: verdict=bug kind=deadlock
// gabion: compilers=gcc,clang
#include <mutex>
#include <pthread.h>

static std::mutex a, b;
static int x;

static void *work(void *arg) {
    if (arg) {
        a.lock();
        b.lock();
    } else {
        b.lock();
        a.lock();
    }
    x++;
    a.unlock();
    b.unlock();
    return nullptr;
}

int main() {
    pthread_t t;
    pthread_create(&t, nullptr, work, &t);
    work(nullptr);
    pthread_join(t, nullptr);
    return x == 2 ? 0 : 1;
}
