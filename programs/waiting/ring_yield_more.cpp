// The same, but the consumer asks for one more than there will be.
// gabion: verdict=bug kind=livelock
// gabion: compilers=gcc,clang
#include <atomic>
#include <pthread.h>
#include <thread>

static std::atomic<unsigned> head{0}, tail{0};

static bool push() {
    unsigned h = head.load();
    if (h - tail.load() == 1)
        return false;
    head.store(h + 1);
    return true;
}

static bool pop() {
    unsigned t = tail.load();
    if (head.load() == t)
        return false;
    tail.store(t + 1);
    return true;
}

static void *producer(void *arg) {
    for (int i = 1; i <= 2; i++)
        while (!push())
            std::this_thread::yield();
    return arg;
}

int main() {
    pthread_t t;
    pthread_create(&t, nullptr, producer, nullptr);
    for (int i = 1; i <= 3; i++)
        while (!pop())
            std::this_thread::yield();
    pthread_join(t, nullptr);
}
