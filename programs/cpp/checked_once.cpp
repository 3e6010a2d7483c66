// The twin does not look again.
// gabion: verdict=bug kind=assertion
// gabion: args=--cflags -std=c++11
// gabion: compilers=gcc,clang
#include <algorithm>
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>
#include <vector>

struct Config {
    std::vector<int> values{3, 1, 2};
    Config() { std::sort(values.begin(), values.end()); }
};

static std::atomic<Config *> config{nullptr};
static std::mutex mutex;
static int made;

static Config *get() {
    Config *found = config.load(std::memory_order_acquire);
    if (!found) {
        std::lock_guard<std::mutex> lock(mutex);
        found = new Config;
        made++;
        config.store(found, std::memory_order_release);
    }
    return found;
}

int main() {
    std::thread other([] { assert(get()->values[0] == 1); });
    assert(get()->values[2] == 3);
    other.join();
    assert(made == 1);
    delete config.load();
}
