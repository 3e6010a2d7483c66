// All have counted down before anybody is let through.
// gabion: verdict=verified
// gabion: args=--cflags -std=c++20
#include <cassert>
#include <latch>
#include <thread>

static int data;

int main() {
    std::latch done(1);
    std::thread t([&] {
        data = 1;
        done.count_down();
    });
    done.wait();
    assert(data == 1);
    t.join();
}
