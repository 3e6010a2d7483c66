// Which handler is set for std::terminate depends on who sets one.
// gabion: verdict=bug kind=assertion
#include <cassert>
#include <cstdlib>
#include <exception>
#include <thread>

static void handler() { std::_Exit(0); }

int main() {
    std::thread t([] { std::set_terminate(handler); });
    auto first = std::get_terminate(), second = std::get_terminate();
    t.join();
    assert(first == second);
}
