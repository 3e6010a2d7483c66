// The twin shares the pointer variable itself.
// gabion: verdict=bug kind=race|use-after-free|double-free|segfault
// gabion: args=--cflags -std=c++20 --races deny
#include <memory>
#include <thread>

static std::shared_ptr<int> pointer = std::make_shared<int>(7);

int main() {
    std::thread t([] { pointer = std::make_shared<int>(8); });
    std::shared_ptr<int> mine = pointer;
    t.join();
    return *mine < 7;
}
