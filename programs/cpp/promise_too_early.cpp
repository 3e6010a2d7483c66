// The twin of promise_at_exit: the promise is kept at once, so whoever has the value may come before the destructors of that thread's
// variables.
// gabion: verdict=bug kind=assertion location=HERE
// gabion: compilers=gcc,clang,libc++
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
        promise.set_value(7);
    });
    assert(future.get() == 7);
    assert(destroyed == 1); // HERE
    other.join();
}
