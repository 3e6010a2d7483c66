// The twin writes under a shared lock.
// gabion: verdict=bug kind=assertion
// gabion: args=--cflags -std=c++20
// gabion: compilers=gcc,libc++
#include <cassert>
#include <mutex>
#include <shared_mutex>
#include <thread>

static std::shared_mutex mutex;
static int a, b;

int main() {
    std::thread reader([] {
        std::shared_lock lock(mutex);
        assert(a == b);
    });
    std::thread writer([] {
        std::shared_lock lock(mutex);
        ++a;
        ++b;
    });
    reader.join();
    writer.join();
}
