// The twin looks before the thread has ended.
// gabion: verdict=bug kind=assertion
// gabion: args=--cflags -std=c++20
#include <cassert>
#include <exception>
#include <stdexcept>
#include <thread>

int main() {
    std::exception_ptr carried;
    std::thread t([&] { carried = std::make_exception_ptr(std::logic_error("carried")); });
    bool there = carried != nullptr;
    t.join();
    assert(there);
}
