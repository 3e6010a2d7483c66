// A promise that is kept when its thread ends: whoever has the value finds the destructors of that thread's variables done.
// gabion: verdict=verified
// gabion: compilers=gcc,clang
#include <cassert>
#include <future>
#include <thread>

static int destroyed;

struct Kept {
    int number = 0;
    ~Kept() { destroyed += number; }
};
static thread_local Kept kept;

int main() {
    std::promise<int> promise;
    std::future<int> future = promise.get_future();
    std::thread other([&] {
        kept.number = 1;
        promise.set_value_at_thread_exit(7);
    });
    assert(future.get() == 7);
    assert(destroyed == 1);
    other.join();
}
