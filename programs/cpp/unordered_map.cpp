// A hash table under a lock, filled by two threads.
// gabion: verdict=verified
// gabion: args=--cflags -std=c++20
#include <cassert>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>

static std::mutex mutex;
static std::unordered_map<std::string, int> table;

static void add(const char *name, int n) {
    std::lock_guard lock(mutex);
    table[name] = n;
}

int main() {
    std::thread t([] { add("one", 1); });
    add("two", 2);
    t.join();
    assert(table.at("one") == 1 && table.at("two") == 2);
}
