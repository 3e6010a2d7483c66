// Nobody reads before all have written.
// gabion: verdict=verified
// gabion: args=--cflags -std=c++20
#include <barrier>
#include <cassert>
#include <thread>

static int x[2];

int main() {
    std::barrier sync(2);
    std::thread t([&] {
        x[0] = 1;
        sync.arrive_and_wait();
        assert(x[1] == 1);
    });
    x[1] = 1;
    sync.arrive_and_wait();
    assert(x[0] == 1);
    t.join();
}
