// The twin tells nobody.
// gabion: verdict=bug kind=deadlock
// gabion: args=--cflags -std=c++20
#include <atomic>
#include <thread>

static std::atomic<int> flag;

int main() {
    std::thread t([] { flag = 1; });
    flag.wait(0);
    t.join();
}
