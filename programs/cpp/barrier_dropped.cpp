// The twin leaves the barrier without waiting.
// gabion: verdict=bug kind=assertion
// gabion: args=--cflags -std=c++20
#include <barrier>
#include <cassert>
#include <thread>

static int x[2];

int main() {
    std::barrier sync(2);
    std::thread t([&] {
        x[0] = 1;
        sync.arrive_and_drop();
        assert(x[1] == 1);
    });
    x[1] = 1;
    sync.arrive_and_wait();
    t.join();
}
