// The twin lets two in at once.
// gabion: verdict=bug kind=assertion
// gabion: args=--cflags -std=c++20
#include <cassert>
#include <semaphore>
#include <thread>

static int sum;
static std::counting_semaphore<2> room(2);

static void add() {
    room.acquire();
    ++sum;
    room.release();
}

int main() {
    std::thread t(add);
    add();
    t.join();
    assert(sum == 2);
}
