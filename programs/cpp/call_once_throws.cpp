// The first call of two throws: it has not run, and the other one's does. Either may be the first: 2! = 2 runs.
// gabion: verdict=verified
// gabion: runs=2
// gabion: compilers=gcc,clang
#include <cassert>
#include <mutex>
#include <thread>

static std::once_flag once;
static int calls, value;

static void work() {
    try {
        std::call_once(once, [] {
            if (calls++ == 0)
                throw 1;
            value++;
        });
    } catch (int) {
    }
}

int main() {
    std::thread t(work);
    work();
    t.join();
    assert(calls == 2 && value == 1);
}
