// Handlers for std::terminate are what the program set, and are not called where exceptions are caught; to exit while one is handled
// is no failure.
// gabion: verdict=verified compilers=gcc,clang
#include <cassert>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <thread>

static void first() { std::abort(); }
static void second() { std::abort(); }

int main() {
    std::terminate_handler before = std::set_terminate(first);
    assert(before != nullptr && before != first);
    assert(std::get_terminate() == first);
    assert(std::set_terminate(second) == first);
    assert(std::set_terminate(before) == second);
    assert(std::get_terminate() == before);
    std::set_terminate(first);
    std::thread t([] {
        try {
            throw 1;
        } catch (int) {
        }
    });
    t.join();
    try {
        throw std::runtime_error("handled");
    } catch (const std::exception &) {
        std::exit(0);
    }
}
