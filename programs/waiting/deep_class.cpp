// As deep_for.c, with std::atomic and a counter in an object.
// gabion: verdict=bug kind=assertion
// gabion: compilers=gcc,clang
#include <atomic>
#include <cassert>
#include <thread>

static std::atomic<int> flag;

struct Backoff {
    int step = 0;
    bool spent() { return ++step > 60; }
};

int main() {
    std::thread writer([] { flag = 1; });
    int seen = 0;
    for (Backoff backoff; !backoff.spent();) {
        seen += flag;
        std::this_thread::yield();
    }
    writer.join();
    assert(seen != 31);
}
