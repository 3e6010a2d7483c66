// Steps back from the other thread's mutex four times, and then gives up: more rounds than are looked at in full.
// gabion: verdict=bug kind=assertion
// gabion: compilers=gcc,clang
#include <cassert>
#include <mutex>
#include <thread>

static std::mutex a, b;

int main() {
    std::thread t([] { std::lock_guard<std::mutex> hold(b); });
    bool got = false;
    for (int i = 0; i < 4 && !got; i++) {
        a.lock();
        got = b.try_lock();
        if (!got)
            a.unlock();
    }
    assert(got);
    b.unlock();
    a.unlock();
    t.join();
}
