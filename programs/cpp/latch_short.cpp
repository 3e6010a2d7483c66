// The twin counts one too few, so that nobody waits for the second thread.
// gabion: verdict=bug kind=assertion
// gabion: args=--cflags -std=c++20
#include <cassert>
#include <latch>
#include <thread>

static int data;

int main() {
    std::latch done(1);
    std::thread first([&] { done.count_down(); });
    std::thread second([&] { data = 1; });
    done.wait();
    int seen = data;
    first.join();
    second.join();
    assert(seen == 1);
}
