// Who does not get in within a second goes without: at least one gets in.
// gabion: verdict=verified
// gabion: args=--cflags -std=c++20
#include <cassert>
#include <chrono>
#include <semaphore>
#include <thread>

static std::counting_semaphore<1> room(1);
static int n;

static void add() {
    if (!room.try_acquire_for(std::chrono::seconds(1)))
        return;
    n++;
    room.release();
}

int main() {
    std::thread t(add);
    add();
    t.join();
    assert(n >= 1);
}
