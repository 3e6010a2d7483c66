// Readers together, the writer alone: a reader sees both writes or none.
// gabion: verdict=verified
// gabion: args=--cflags -std=c++20
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
        std::unique_lock lock(mutex);
        ++a;
        ++b;
    });
    reader.join();
    writer.join();
}
