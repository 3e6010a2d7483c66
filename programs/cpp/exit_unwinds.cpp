// pthread_exit unwinds: destructors run, innermost first, and catch (...) that throws on is passed.
// gabion: verdict=verified
// gabion: compilers=gcc,clang
#include <cassert>
#include <mutex>
#include <pthread.h>

static std::mutex mutex;
static int order;

struct Step {
    int expected;
    ~Step() { assert(order++ == expected); }
};

static void inner() {
    std::lock_guard<std::mutex> guard(mutex);
    Step first{0};
    pthread_exit(&order);
}

static void *work(void *) {
    Step last{2};
    try {
        inner();
    } catch (...) {
        assert(order++ == 1);
        throw;
    }
    return nullptr;
}

int main() {
    pthread_t thread;
    pthread_create(&thread, nullptr, work, nullptr);
    void *result;
    pthread_join(thread, &result);
    assert(result == &order && order == 3 && mutex.try_lock());
}
