// An exception carried from one thread to another.
// gabion: verdict=verified
// gabion: args=--cflags -std=c++20
#include <cassert>
#include <exception>
#include <stdexcept>
#include <string>
#include <thread>

int main() {
    std::exception_ptr carried;
    std::thread t([&] {
        try {
            throw std::logic_error("carried");
        } catch (...) {
            carried = std::current_exception();
        }
    });
    t.join();
    try {
        std::rethrow_exception(carried);
    } catch (const std::logic_error &error) {
        assert(error.what() == std::string("carried"));
        return 0;
    }
    return 1;
}
